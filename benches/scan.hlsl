// A prefix sum inside each wave.
#include "grid.hlsli"
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Output : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint i = element(thread);
    Output[i] = WavePrefixSum(Input[i]);
}
