// WavePrefixCountBits counts the active lanes below this one in which a condition holds; the lane itself does not count.

//--- counting-those-below
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WavePrefixCountBits(true), t);
    EXPECT_EQ(WavePrefixCountBits(t % 2 == 1), t / 2);
}

//--- counting-active-lanes-below
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 0) EXPECT_EQ(WavePrefixCountBits(true), t - t / 4 - 1);
}

//--- counting-is-a-prefix-sum
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WavePrefixCountBits(t % 5 < 2), WavePrefixSum(t % 5 < 2 ? 1u : 0u));
}
