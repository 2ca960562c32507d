// A histogram of 256 bins: lanes with the same key are counted together.
#include "grid.hlsli"
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Count : register(u2);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint key = Input[element(thread)] & 255;
    uint4 same = WaveMatch(key);
    uint4 counts = countbits(same);
    uint4 lowest = firstbitlow(same);
    uint leader = same.x != 0 ? lowest.x
                : same.y != 0 ? lowest.y + 32
                : same.z != 0 ? lowest.z + 64
                : lowest.w + 96;
    if (WaveGetLaneIndex() == leader) InterlockedAdd(Count[key], counts.x + counts.y + counts.z + counts.w);
}
