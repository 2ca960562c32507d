// A prefix sum of floats inside each wave, in the canonical order.
#include "grid.hlsli"
RWStructuredBuffer<float> Input : register(u0);
RWStructuredBuffer<float> Output : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint i = element(thread);
    Output[i] = WavePrefixSum(Input[i]);
}
