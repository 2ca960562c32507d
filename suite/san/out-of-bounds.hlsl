// Arrays accessed beyond their end.

//--- san-a-place-for-each-wave-of-32
//# args -Wno-assumed-wave-count
//# finds width-dependent-result
//# zero Out 512
groupshared uint sums[128 / 32];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    uint wave = t / WaveGetLaneCount();
    if (WaveIsFirstLane()) sums[wave] = sum; //? out-of-bounds: `sums` is written beyond its end
    GroupMemoryBarrierWithGroupSync();
    if (t < 128 / WaveGetLaneCount()) Out[t] = sums[t]; //? out-of-bounds: `sums` is read beyond its end
}

//--- san-a-place-for-each-wave-of-4
//# san --width-dependent=Out
//# zero Out 512
//= Out u32 @4: 6 22 38 54
groupshared uint sums[128 / 4];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    uint wave = t / WaveGetLaneCount();
    if (WaveIsFirstLane()) sums[wave] = sum;
    GroupMemoryBarrierWithGroupSync();
    if (t < 128 / WaveGetLaneCount()) Out[t] = sums[t];
}
