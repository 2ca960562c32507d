// WaveActiveBallot gives the set of active lanes in which a condition holds; lane L is bit L % 32 of word L / 32.

//--- a-ballot-of-everyone
uint4 lanesBelow(uint n) {
    uint4 words = uint4(0, 0, 0, 0);
    for (uint lane = 0; lane < n; ++lane) words[lane / 32] |= 1u << (lane % 32);
    return words;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveBallot(true), lanesBelow(WIDTH));
    EXPECT_EQ(WaveActiveBallot(false), uint4(0, 0, 0, 0));
    EXPECT_EQ(WaveActiveBallot(t < WIDTH - 1), lanesBelow(WIDTH - 1));
}

//--- bits-of-inactive-lanes-are-zero
uint4 lanesBelow(uint n) {
    uint4 words = uint4(0, 0, 0, 0);
    for (uint lane = 0; lane < n; ++lane) words[lane / 32] |= 1u << (lane % 32);
    return words;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= 2) EXPECT_EQ(WaveActiveBallot(true), lanesBelow(WIDTH) & ~uint4(3, 0, 0, 0));
    else EXPECT_EQ(WaveActiveBallot(true), uint4(3, 0, 0, 0));
}

//--- bits-of-lanes-that-do-not-exist-are-zero
[numthreads(3, 1, 1)]
void main() {
    EXPECT_EQ(WaveActiveBallot(true), uint4(7, 0, 0, 0));
}
