// One atomic for each distinct address in a wave, instead of one for each lane.
//
// Teaches: WaveMatch groups the lanes that will touch the same word, WaveMultiPrefixBitOr folds their bits, and the
// highest lane of each group holds all but its own.
//
//   wavelane run examples/coalesced-or.hlsl --wave-size all --groups 2 --bind 'Keys=u32:2,0,2,1,2,0,3,2' --bind 'Words=u32[4]'

StructuredBuffer<uint> Keys;
RWStructuredBuffer<uint> Words;

[numthreads(4, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    uint key = Keys[thread];
    uint bit = 1u << thread;

    uint4 group = WaveMatch(key);

    // firstbithigh gives -1 for an empty word, and or-ing the lane offset in leaves that -1 alone.
    int4 highest = (int4)(firstbithigh(group) | uint4(0, 32, 64, 96));
    int leader = max(max(highest.x, highest.y), max(highest.z, highest.w));

    uint others = WaveMultiPrefixBitOr(bit, group);
    if (WaveGetLaneIndex() == (uint)leader) InterlockedOr(Words[key], others | bit);
}
