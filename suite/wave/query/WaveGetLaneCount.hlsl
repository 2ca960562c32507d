// WaveGetLaneCount is the width of the wave, however many lanes are active.

//--- the-lane-count-is-the-width
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetLaneCount(), WIDTH);
    if (t == 1) EXPECT_EQ(WaveGetLaneCount(), WIDTH);
}

//--- the-lane-count-of-a-partial-wave
[numthreads(3, 1, 1)]
void main() {
    EXPECT_EQ(WaveGetLaneCount(), WIDTH);
    EXPECT_EQ(WaveActiveCountBits(true), 3);
}
