// A condition is a scalar: it decides for a whole lane.

//--- several-bools-before-a-question-mark
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 v = uint2(t, 1) > 1 ? 1 : 2; //~ error[vector-condition]: `?:` must be a single `bool`
}
//| FILE:4:15: error: the condition of `?:` must be a single `bool` in HLSL 2021, not `bool2` [vector-condition]
//|   |
//| 4 |     uint2 v = uint2(t, 1) > 1 ? 1 : 2;
//|   |               ^^^^^^^^^^^^^^^
//|   |
//|   = help: use `select(c, a, b)` to select component by component

//--- several-bools-in-an-if
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (uint2(t, 1) > 1) {} //~ error[vector-condition]: `if`
}
//| FILE:4:9: error: the condition of `if` must be a single `bool`, not `bool2` [vector-condition]
//|   |
//| 4 |     if (uint2(t, 1) > 1) {}
//|   |         ^^^^^^^^^^^^^^^
//|   |
//|   = help: `any(…)` or `all(…)` reduces several to one

//--- in-2018-conditions-work-by-component
//# args -HV 2018
//# widths 4
//# zero Out 32
//= Out u32: 2 1 2 1 1 1 1 1
RWStructuredBuffer<uint2> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = uint2(t, 9) > 1 ? uint2(1, 1) : uint2(2, 2);
}
