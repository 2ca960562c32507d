// WaveMaskReadLaneFirst gives the value of the lowest lane that the mask names.

//--- the-first-lane-of-a-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskReadLaneFirst(WaveGetActiveMask(), t + 1), 1);
    if (t & 2) EXPECT_EQ(WaveMaskReadLaneFirst(WaveGetActiveMask(), t), 2);
}

//--- each-mask-has-its-own-first-lane
//# finds bad-wave-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint odd = WaveActiveBallot(t & 1).x;
    uint even = WaveActiveBallot(!(t & 1)).x;
    EXPECT_EQ(WaveMaskReadLaneFirst(t & 1 ? odd : even, t), t & 1);
}
