// WaveMaskShuffle reads a lane of the mask; its index may differ between lanes.

//--- wave-mask-shuffle-broadcasts-and-shuffles
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t * 3, WIDTH - 1), 3 * WIDTH - 3);
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t, t ^ 1), t ^ 1);
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t, WIDTH - 1 - t), WIDTH - 1 - t);
}

//--- wave-mask-shuffle-reads-among-active-lanes
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 2 == 1) EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t, t ^ 2), t ^ 2);
}

//--- wave-mask-shuffle-of-an-inactive-lane-gives-zero-here
//# finds inactive-lane-read lane-index-out-of-range
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= 2) EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t + 1, t % 2), 0);
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t + 1, WIDTH), 0);
}

//--- wave-mask-shuffle-of-vectors-bools-and-doubles
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, uint3(t, t + 1, 7), 2), uint3(2, 3, 7));
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, t == 3, 3), true);
    EXPECT_EQ(WaveMaskShuffle(WaveActiveBallot(true).x, (double)t, 3), (double)3);
}
