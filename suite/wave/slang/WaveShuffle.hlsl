// WaveShuffle is WaveReadLaneAt with an index that may differ between lanes.

//--- wave-shuffle-broadcasts-and-shuffles
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveShuffle(t * 3, WIDTH - 1), 3 * WIDTH - 3);
    EXPECT_EQ(WaveShuffle(t, t ^ 1), t ^ 1);
    EXPECT_EQ(WaveShuffle(t, WIDTH - 1 - t), WIDTH - 1 - t);
}

//--- wave-shuffle-reads-among-active-lanes
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 2 == 1) EXPECT_EQ(WaveShuffle(t, t ^ 2), t ^ 2);
}

//--- wave-shuffle-of-an-inactive-lane-gives-zero-here
//# finds inactive-lane-read lane-index-out-of-range
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= 2) EXPECT_EQ(WaveShuffle(t + 1, t % 2), 0);
    EXPECT_EQ(WaveShuffle(t + 1, WIDTH), 0);
}

//--- wave-shuffle-of-vectors-bools-and-doubles
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveShuffle(uint3(t, t + 1, 7), 2), uint3(2, 3, 7));
    EXPECT_EQ(WaveShuffle(t == 3, 3), true);
    EXPECT_EQ(WaveShuffle((double)t, 3), (double)3);
}
