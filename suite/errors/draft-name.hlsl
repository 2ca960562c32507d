// Names of the draft of 2015 are understood, with a word about it.

//--- a-sum-by-its-old-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveAllSum(1u), uint(WIDTH)); //~ warning[draft-name]: `WaveActiveSum`
}

//--- a-prefix-by-its-old-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 all = uint4(~0u, ~0u, ~0u, ~0u);
    EXPECT_EQ(WaveMultiPrefixOr(1u, all), t == 0 ? 0u : 1u); //~ warning[draft-name]: `WaveMultiPrefixBitOr`
}
