// Numbers have the digits and suffixes of their base.

//--- digits-and-suffixes-that-do-not-exist
static const uint a = 089; //~ error[bad-literal]:
static const float b = 1.0q; //~ error[bad-literal]:
static const uint64_t c = 99999999999999999999; //~ error[bad-literal]:
[numthreads(4, 1, 1)] void main() {}
