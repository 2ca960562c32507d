// A sum over all items, with one atomic per wave.
#include "grid.hlsli"
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Count : register(u2);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint sum = WaveActiveSum(Input[element(thread)]);
    if (WaveIsFirstLane()) InterlockedAdd(Count[0], sum);
}
