// Numbers have the digits and suffixes of their base.

//--- digits-and-suffixes-that-do-not-exist
static const uint a = 089; //~ error[bad-literal]:
static const float b = 1.0q; //~ error[bad-literal]:
static const uint64_t c = 99999999999999999999; //~ error[bad-literal]:
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:23: error: `089` has a digit that is not octal [bad-literal]
//|   |
//| 2 | static const uint a = 089;
//|   |                       ^^^
//|
//| FILE:3:24: error: `q` is not a numeric suffix [bad-literal]
//|   |
//| 3 | static const float b = 1.0q;
//|   |                        ^^^^
//|
//| FILE:4:27: error: `99999999999999999999` does not fit in 64 bits [bad-literal]
//|   |
//| 4 | static const uint64_t c = 99999999999999999999;
//|   |                           ^^^^^^^^^^^^^^^^^^^^
