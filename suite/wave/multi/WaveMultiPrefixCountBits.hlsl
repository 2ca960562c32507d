// WaveMultiPrefixCountBits counts the lanes of this lane's group below it in which a condition holds.

//--- counting-in-groups
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 group = WaveMatch(t % 3);
    EXPECT_EQ(WaveMultiPrefixCountBits(true, group), t / 3);
    EXPECT_EQ(WaveMultiPrefixCountBits(t >= 3, group), t < 3 ? 0 : t / 3 - 1);
}

//--- bits-of-inactive-lanes-are-ignored-in-masks
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 everyone = uint4(~0u, ~0u, ~0u, ~0u);
    if (t % 2 == 1) EXPECT_EQ(WaveMultiPrefixCountBits(true, everyone), t / 2);
}
