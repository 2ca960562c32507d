// Wave functions in arms that only HLSL 2021 and later evaluate separately.

//--- a-sum-in-an-arm
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint evens = t % 2 == 0 ? WaveActiveSum(1u) : 0; //~ warning[version-dependent-arm]: the lanes that evaluate `WaveActiveSum` here depend on the language version
    EXPECT_EQ(evens, t % 2 == 0 ? uint(WIDTH / 2) : 0u);
}
//| FILE:4:31: warning: the lanes that evaluate `WaveActiveSum` here depend on the language version [version-dependent-arm]
//|   |
//| 4 |     uint evens = t % 2 == 0 ? WaveActiveSum(1u) : 0;
//|   |                  ----------   ^^^^^^^^^^^^^^^^^
//|   |                  |
//|   |                  this differs between lanes
//|   |
//|   = note: `?:` evaluates in all lanes before HLSL 2021, and only in those that need it from then on
//|   = help: for all lanes, assign it to a variable first; for some lanes, write an `if`

//--- a-sum-in-an-arm-of-2018
//# args -HV 2018
//# widths 4
//# zero Out 16
//= Out u32: 4 0 4 0
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint evens = t % 2 == 0 ? WaveActiveSum(1u) : 0; //~ warning[version-dependent-arm]: the lanes that evaluate `WaveActiveSum` here depend on the language version
    Out[t] = evens;
}
//| FILE:9:31: warning: the lanes that evaluate `WaveActiveSum` here depend on the language version [version-dependent-arm]
//|   |
//| 9 |     uint evens = t % 2 == 0 ? WaveActiveSum(1u) : 0;
//|   |                  ----------   ^^^^^^^^^^^^^^^^^
//|   |                  |
//|   |                  this differs between lanes
//|   |
//|   = note: `?:` evaluates in all lanes before HLSL 2021, and only in those that need it from then on
//|   = help: for all lanes, assign it to a variable first; for some lanes, write an `if`

//--- the-first-lane-of-those-that-hold
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool upper = t >= WIDTH / 2;
    bool leads = false;
    if (upper && WaveIsFirstLane()) leads = true; //~ warning[version-dependent-arm]: `WaveIsFirstLane`
    EXPECT_EQ(leads, t == WIDTH / 2);
}
//| FILE:6:18: warning: the lanes that evaluate `WaveIsFirstLane` here depend on the language version [version-dependent-arm]
//|   |
//| 6 |     if (upper && WaveIsFirstLane()) leads = true;
//|   |         -----    ^^^^^^^^^^^^^^^^^
//|   |         |
//|   |         this differs between lanes
//|   |
//|   = note: `&&` evaluates in all lanes before HLSL 2021, and only in those that need it from then on
//|   = help: for all lanes, assign it to a variable first; for some lanes, write an `if`

//--- a-condition-that-is-the-same-in-all-lanes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool any = WaveActiveAnyTrue(t == 1);
    uint sum = any && WaveActiveAllTrue(t < WIDTH) ? WaveActiveSum(1u) : 0;
    EXPECT_EQ(sum, uint(WIDTH));
}

//--- a-variable-of-its-own-and-an-if
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint all = WaveActiveSum(1u);
    uint evens = t % 2 == 0 ? all : 0;
    EXPECT_EQ(evens, t % 2 == 0 ? uint(WIDTH) : 0u);
    if (t % 2 == 0) EXPECT_EQ(WaveActiveSum(1u), uint(WIDTH / 2));
}
