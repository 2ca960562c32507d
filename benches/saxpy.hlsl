// Streams two arrays, `a * x + y`.
#include "grid.hlsli"
RWStructuredBuffer<float> Input : register(u0);
RWStructuredBuffer<float> Output : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint i = element(thread);
    Output[i] = 2.5 * Input[i] + Output[i];
}
