// Finds the largest value of each group of 128 and spreads it, with two mistakes that a machine with waves of 128 hides.

StructuredBuffer<uint> Items;
RWStructuredBuffer<uint> Largest;

groupshared uint waves[128 / 32];

[numthreads(128, 1, 1)]
void main(uint thread : SV_GroupIndex, uint group : SV_GroupID)
{
    uint item = Items[group * 128 + thread];
    uint largest = WaveActiveMax(item);
    if (WaveIsFirstLane())
        waves[thread / WaveGetLaneCount()] = largest;
    if (thread == 0)
        Largest[group] = max(max(waves[0], waves[1]), max(waves[2], waves[3]));
}
