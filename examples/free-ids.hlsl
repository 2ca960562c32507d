// Lists the unused particle IDs: an entry of -1 in the table marks a free one.
//
// Teaches: the pattern of a particle system, right for any group size and any width, because each reservation belongs to
// a wave. A wave with nothing to add skips the atomic as a whole.
//
//   wavelane run examples/free-ids.hlsl --wave-size all --groups 2 --set ListIndex=1 \
//     --bind 'IdToIndex=i32:-1,0,1,-1,-1,2,3,-1,4,5,-1,6,-1,-1,7,8' --bind 'FreeIds=i32[16]:fill(-1)' --bind 'FreeIdCounts=i32[2]'

Buffer<int> IdToIndex;
RWBuffer<int> FreeIds;
RWBuffer<int> FreeIdCounts;
uint ListIndex;

[numthreads(8, 1, 1)]
void main(uint particle : SV_DispatchThreadID) {
    bool isFree = IdToIndex[particle] == -1;

    uint freeInWave = WaveActiveCountBits(isFree);
    uint offset = WavePrefixCountBits(isFree);

    if (freeInWave > 0) {
        int start = 0;
        if (WaveIsFirstLane()) InterlockedAdd(FreeIdCounts[ListIndex], (int)freeInWave, start);
        start = WaveReadLaneFirst(start);
        if (isFree) FreeIds[start + offset] = (int)particle;
    }
}
