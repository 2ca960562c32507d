// Reading a lane that the wave does not have.

//--- san-the-last-of-32-lanes
//# widths 4..16
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WavePrefixSum(t) + t;
    Out[t] = WaveReadLaneAt(sum, 31); //? lane-index-out-of-range: lane 31 is read
}

//--- san-the-last-lane-there-is
//# zero Out 512
//= Out u32 @4: 6 6 6 6
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WavePrefixSum(t) + t;
    Out[t] = WaveReadLaneAt(sum, WaveGetLaneCount() - 1);
}
