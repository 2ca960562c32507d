// WaveReadLaneAt reads the lane with a given index, which may differ between lanes. Reading an inactive lane is undefined.

//--- read-lane-at-broadcasts-and-shuffles
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveReadLaneAt(t * 3, WIDTH - 1), 3 * WIDTH - 3);
    EXPECT_EQ(WaveReadLaneAt(t, t ^ 1), t ^ 1);
    EXPECT_EQ(WaveReadLaneAt(t, WIDTH - 1 - t), WIDTH - 1 - t);
}

//--- read-lane-at-reads-among-active-lanes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 2 == 1) EXPECT_EQ(WaveReadLaneAt(t, t ^ 2), t ^ 2);
}

//--- read-lane-at-of-an-inactive-lane-gives-zero-here
//# finds inactive-lane-read lane-index-out-of-range
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= 2) EXPECT_EQ(WaveReadLaneAt(t + 1, t % 2), 0);
    EXPECT_EQ(WaveReadLaneAt(t + 1, WIDTH), 0);
}

//--- read-lane-at-of-vectors-bools-and-doubles
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveReadLaneAt(uint3(t, t + 1, 7), 2), uint3(2, 3, 7));
    EXPECT_EQ(WaveReadLaneAt(t == 3, 3), true);
    EXPECT_EQ(WaveReadLaneAt((double)t, 3), (double)3);
}

//--- read-lane-at-where-some-lanes-read-themselves
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint value = 3 * lane + 1;
    EXPECT_EQ(WaveReadLaneAt(value, lane & ~1u), 3 * (lane & ~1u) + 1);
    EXPECT_EQ(WaveReadLaneAt(value, lane | 1), 3 * (lane | 1) + 1);
    EXPECT_EQ(WaveReadLaneAt(value, lane & 3), 3 * (lane & 3) + 1);
    EXPECT_EQ(WaveReadLaneAt(value, WaveGetLaneIndex() & ~1u), 3 * (lane & ~1u) + 1);
}
