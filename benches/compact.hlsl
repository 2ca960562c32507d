// Stream compaction: keeps the odd numbers, with one atomic per wave.
#include "grid.hlsli"
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Output : register(u1);
RWStructuredBuffer<uint> Count : register(u2);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint value = Input[element(thread)];
    bool keep = (value & 1) != 0;
    uint kept = WaveActiveCountBits(keep);
    uint before = WavePrefixCountBits(keep);
    uint start = 0;
    if (WaveIsFirstLane()) InterlockedAdd(Count[0], kept, start);
    start = WaveReadLaneFirst(start);
    if (keep) Output[start + before] = value;
}
