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

//--- san-the-lane-before-the-first
//# zero Out 256
//# widths 4
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint left = WaveReadLaneAt(t, WaveGetLaneIndex() - 1); //? lane-index-out-of-range: help: that neighbour is in another wave, or in none
    Out[t] = t > 0 ? left : 0;
}
