// Templates need HLSL 2021.

//--- a-template-in-2018
//# args -HV 2018
template<typename T> T twice(T x) { return x + x; } //~ error[needs-hlsl-2021]: templates
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:1: error: templates require HLSL 2021 [needs-hlsl-2021]
//|   |
//| 3 | template<typename T> T twice(T x) { return x + x; }
//|   | ^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-HV 2021`
