// A prefix sum for each distinct key, twice: by a loop that handles one key at a time, and by WaveMatch with multi-prefix.
//
// Teaches: lanes that leave a loop in different iterations are never active together inside it, so that the sum in the
// loop runs over exactly the lanes of one key. Both ways give the same result.
//
//   wavelane run examples/waterfall.hlsl --wave-size all --bind 'Keys=u32:5,7,5,7,5,9,7,5' --bind 'ByLoop=u32[8]' --bind 'ByMatch=u32[8]'

StructuredBuffer<uint> Keys;
RWStructuredBuffer<uint> ByLoop;
RWStructuredBuffer<uint> ByMatch;

[numthreads(8, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    uint key = Keys[thread];
    uint value = thread + 1;

    uint sum = 0;
    while (true) {
        if (WaveReadLaneFirst(key) == key) {
            sum = WavePrefixSum(value);
            break;
        }
    }
    ByLoop[thread] = sum;
    ByMatch[thread] = WaveMultiPrefixSum(value, WaveMatch(key));
}
