// WaveMaskBallot asks the lanes that a 32-bit mask names.

//--- wave-mask-ballot-in-the-lanes-of-the-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskBallot(WaveActiveBallot(true).x, t < 3), 7);
    if (t % 2 == 0) EXPECT_EQ(WaveMaskBallot(WaveActiveBallot(true).x, t < 3), 5);
}
