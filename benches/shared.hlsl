// A sum over each group by a tree in groupshared memory, with a barrier between its steps.
#include "grid.hlsli"
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Output : register(u1);
groupshared uint sums[GROUP];

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID, uint index : SV_GroupIndex) {
    sums[index] = Input[element(thread)];
    GroupMemoryBarrierWithGroupSync();
    for (uint distance = GROUP / 2; distance > 0; distance /= 2) {
        if (index < distance) sums[index] += sums[index + distance];
        GroupMemoryBarrierWithGroupSync();
    }
    if (index == 0) Output[element(thread) / GROUP] = sums[0];
}
