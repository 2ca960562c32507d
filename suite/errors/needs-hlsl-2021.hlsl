// Templates came late.

//--- a-template-in-2018
//# args -HV 2018
template<typename T> T twice(T x) { return x + x; } //~ error[needs-hlsl-2021]: templates
[numthreads(4, 1, 1)] void main() {}
