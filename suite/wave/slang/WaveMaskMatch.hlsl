// WaveMaskMatch asks the lanes that a 32-bit mask names.

//--- wave-mask-match-in-the-lanes-of-the-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskMatch(WaveActiveBallot(true).x, t & 1) & 0xf, t & 1 ? 0xa : 5);
    if (t & 1) EXPECT_EQ(WaveMaskMatch(WaveActiveBallot(true).x, t & 2) & 0xf, t & 2 ? 8 : 2);
}
