// WaveMaskIsFirstLane asks the lanes that a 32-bit mask names.

//--- wave-mask-is-first-lane-in-the-lanes-of-the-mask
//# finds bad-wave-mask
//# widths 4..32
//# args --dialect slang -Wno-version-dependent-arm
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskIsFirstLane(WaveActiveBallot(true).x), t == 0);
    if (t & 2) EXPECT_EQ(WaveMaskIsFirstLane(WaveActiveBallot(true).x), t == 2);
    EXPECT_EQ(WaveMaskIsFirstLane(t & 1 ? WaveActiveBallot(t & 1).x : WaveActiveBallot(!(t & 1)).x), t < 2);
}
