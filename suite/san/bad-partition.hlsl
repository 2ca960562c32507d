// Masks that are not a partition of the active lanes.

//--- san-every-lane-names-the-first-two
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WaveMultiPrefixSum(t, uint4(3, 0, 0, 0)); //? bad-partition: not a partition
}

//--- san-the-masks-of-a-match
//# zero Out 512
//= Out u32: 0 0 0 1
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WaveMultiPrefixSum(t, WaveMatch(t & 1));
}
