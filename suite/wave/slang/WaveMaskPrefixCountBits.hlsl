// WaveMaskPrefixCountBits asks the lanes that a 32-bit mask names.

//--- wave-mask-prefix-count-bits-in-the-lanes-of-the-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskPrefixCountBits(WaveActiveBallot(true).x, true), t);
    if (t % 2 == 0) EXPECT_EQ(WaveMaskPrefixCountBits(WaveActiveBallot(true).x, true), t / 2);
}
