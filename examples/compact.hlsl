// Stream compaction: keeps the items that pass a test, in order, with one atomic for a whole wave.
//
// Teaches: WavePrefixCountBits gives each lane its place among those that keep an item; the first lane reserves room
// for all of them and tells the others where it starts.
//
//   wavelane run examples/compact.hlsl --wave-size all --bind 'Items=u32[64]:iota' --bind 'Kept=u32[64]' --bind 'KeptCount=u32[1]'

StructuredBuffer<uint> Items;
RWStructuredBuffer<uint> Kept;
RWStructuredBuffer<uint> KeptCount;

[numthreads(64, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    uint item = Items[thread];
    bool keep = item % 3 == 0;

    uint offset = WavePrefixCountBits(keep);
    uint total = WaveActiveCountBits(keep);

    uint start = 0;
    if (WaveIsFirstLane()) InterlockedAdd(KeptCount[0], total, start);
    start = WaveReadLaneFirst(start);

    if (keep) Kept[start + offset] = item;
}
