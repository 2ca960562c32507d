// Results that differ from one wave width to another.

//--- san-a-sum-over-the-wave-is-taken-for-one-over-the-group
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t); //? width-dependent-result: `Out` depends on the wave width
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-that-differs-in-the-second-round-only
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0; i < 2; ++i) {
        sum += WaveActiveSum(i * t); //? width-dependent-result: `Out` depends on the wave width
    }
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-over-the-group-by-waves
//# zero Out 4
//= Out u32: 8128
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], sum);
}
