// Programs that take a group to have as few waves as its threads need.

//--- san-the-last-wave-finishes
//# zero Done 4
//# widths 4 8 16 32
RWStructuredBuffer<uint> Done;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool isLast = GetGroupWaveIndex() + 1 == GetGroupWaveCount(); //? depends-on-wave-count: `Done` depends on how many waves a group has
    if (isLast && WaveIsFirstLane()) Done[0] = 1;
}

//--- san-the-wave-of-the-last-thread-finishes
//# zero Done 4
//# widths 4 8 16 32
//= Done u32: 1
RWStructuredBuffer<uint> Done;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool isLast = WaveActiveAnyTrue(t == 63) && GetGroupWaveIndex() < GetGroupWaveCount();
    if (isLast && WaveIsFirstLane()) Done[0] = 1;
}

//--- san-an-element-for-each-wave
//# zero Out 256
//# widths 4
groupshared uint Sums[16];
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    if (WaveIsFirstLane()) Sums[GetGroupWaveIndex()] = sum; //? out-of-bounds: `Sums` is
    GroupMemoryBarrierWithGroupSync();
    Out[t] = Sums[0];
}

//--- san-all-waves-come-to-the-counter
//# zero Out 256
//# widths 8
groupshared uint Count;
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) Count = 0;
    GroupMemoryBarrierWithGroupSync();
    if (WaveIsFirstLane()) InterlockedAdd(Count, 1);
    uint seen = 0;
    do { //? endless-wait: for `Count` to change
        InterlockedOr(Count, 0, seen);
    } while (seen < GetGroupWaveCount());
    Out[t] = seen;
}
