// The largest item of each group of 128, with a missing barrier and an array for only four waves.
//
// Teaches: a program that works on some machines; `wavelane san` says on which widths it does not, and why.
//
//   wavelane run examples/lost-lanes.hlsl --wave-size 128 --groups 2 --bind 'Items=u32[256]:iota' --bind 'Largest=u32[2]'

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
