// WaveMaskBroadcastLaneAt gives the lanes of a mask the value of one whose index is a constant.

//--- broadcast-in-a-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskBroadcastLaneAt(WaveGetActiveMask(), t + 1, 3), 4);
    if (t & 1) EXPECT_EQ(WaveMaskBroadcastLaneAt(WaveGetActiveMask(), t, 1), 1);
}
