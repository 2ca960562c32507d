// Sorts the values of each wave by comparing and exchanging lanes.
#include "grid.hlsli"
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Output : register(u1);

[numthreads(GROUP, 1, 1)]
void main(uint3 thread : SV_DispatchThreadID) {
    uint i = element(thread);
    uint value = Input[i];
    uint lane = WaveGetLaneIndex();
    for (uint size = 2; size <= WaveGetLaneCount(); size *= 2) {
        for (uint step = size / 2; step > 0; step /= 2) {
            uint other = WaveReadLaneAt(value, lane ^ step);
            bool ascending = (lane & size) == 0;
            bool lower = (lane & step) == 0;
            value = ascending == lower ? min(value, other) : max(value, other);
        }
    }
    Output[i] = value;
}
