// Ordered append, where each lane has any number of items.
//
// Teaches: reserve the sum of all counts, not the number of lanes with items, and write every item.
// (The article that introduced the wave intrinsics reserved too little here.)
//
//   wavelane run examples/append.hlsl --wave-size all --bind 'Counts=u32:0,3,1,0,2,4,0,1' --bind 'Owners=u32[11]' --bind 'Size=u32[1]'

StructuredBuffer<uint> Counts;
RWStructuredBuffer<uint> Owners;
RWStructuredBuffer<uint> Size;

[numthreads(8, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    uint count = Counts[thread];

    uint before = WavePrefixSum(count);
    uint total = WaveActiveSum(count);

    uint start = 0;
    if (WaveIsFirstLane()) InterlockedAdd(Size[0], total, start);
    start = WaveReadLaneFirst(start) + before;

    for (uint i = 0; i < count; ++i) Owners[start + i] = thread;
}
