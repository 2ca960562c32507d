// WaveIsFirstLane is true in the active lane with the smallest index, and nowhere else.

//--- the-first-lane-is-the-lowest
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveIsFirstLane(), t == 0);
}

//--- the-first-lane-of-those-that-are-active
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= WIDTH / 2 && t % 2 == 1) EXPECT_EQ(WaveIsFirstLane(), t == WIDTH / 2 + 1);
    else EXPECT_EQ(WaveIsFirstLane(), t == 0);
}

//--- there-is-a-first-lane-in-every-iteration
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i <= t; ++i) EXPECT_EQ(WaveIsFirstLane(), t == i);
}
