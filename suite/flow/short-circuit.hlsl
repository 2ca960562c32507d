// `&&`, `||` and `?:` are control flow from HLSL 2021 on, and plain operations before.

//--- and-runs-its-right-side-in-the-lanes-that-need-it
//# args -Wno-version-dependent-arm
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool even = t % 2 == 0;
    bool half = even && WaveActiveCountBits(true) == WIDTH / 2;
    EXPECT_EQ(half, even);
}

//--- and-runs-both-sides-in-2018
//# args -HV 2018 -Wno-version-dependent-arm
//# zero Out 512
//= Out u32: 0
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool even = t % 2 == 0;
    bool half = even && WaveActiveCountBits(true) == WIDTH / 2;
    bool all = even && WaveActiveCountBits(true) == WIDTH;
    Out[t] = half || all != even;
}

//--- or-runs-its-right-side-in-the-lanes-that-need-it
//# args -Wno-version-dependent-arm
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool even = t % 2 == 0;
    EXPECT(even || WaveActiveCountBits(true) == WIDTH / 2);
}

//--- the-arms-of-a-conditional-run-apart
//# args -Wno-version-dependent-arm
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint count = t < WIDTH / 4 ? WaveActiveCountBits(true) : 1000 + WaveActiveCountBits(true);
    uint expected = t < WIDTH / 4 ? WIDTH / 4 : 1000 + 3 * WIDTH / 4;
    EXPECT_EQ(count, expected);
}

//--- select-and-or-never-short-circuit
//# args -Wno-version-dependent-arm
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool even = t % 2 == 0;
    EXPECT_EQ(and(even, WaveActiveCountBits(true) == WIDTH), even);
    EXPECT(or(even, WaveActiveCountBits(true) == WIDTH));
    EXPECT_EQ(select(even, WaveActiveCountBits(true), WaveActiveSum(2u)), even ? WIDTH : 2 * WIDTH);
}
