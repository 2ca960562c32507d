// The sum of each wave's floats, in the canonical order.
#include "grid.hlsli"
RWStructuredBuffer<float> Input : register(u0);
RWStructuredBuffer<float> Output : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint i = element(thread);
    float sum = WaveActiveSum(Input[i]);
    if (WaveIsFirstLane()) Output[i / WaveGetLaneCount()] = sum;
}
