// WaveActiveCountBits counts the active lanes in which a condition holds.

//--- counting-all-and-some
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
    EXPECT_EQ(WaveActiveCountBits(t < 3), 3);
    if (t > 0) EXPECT_EQ(WaveActiveCountBits(t < 3), 2);
}

//--- a-count-is-the-bits-of-the-ballot
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 words = countbits(WaveActiveBallot(t % 3 == 0));
    EXPECT_EQ(WaveActiveCountBits(t % 3 == 0), words.x + words.y + words.z + words.w);
}
