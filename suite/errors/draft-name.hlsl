// Names of the 2015 draft are understood, with a warning.

//--- a-sum-by-its-old-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveAllSum(1u), uint(WIDTH)); //~ warning[draft-name]: `WaveActiveSum`
}
//| FILE:4:15: warning: `WaveAllSum` is a name from the draft of 2015; HLSL shipped it as `WaveActiveSum` [draft-name]
//|   |
//| 4 |     EXPECT_EQ(WaveAllSum(1u), uint(WIDTH));
//|   |               ^^^^^^^^^^
//|   |
//|   = help: write `WaveActiveSum`
//|   |
//| 4 -     EXPECT_EQ(WaveAllSum(1u), uint(WIDTH));
//| 4 +     EXPECT_EQ(WaveActiveSum(1u), uint(WIDTH));

//--- a-prefix-by-its-old-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 all = uint4(~0u, ~0u, ~0u, ~0u);
    EXPECT_EQ(WaveMultiPrefixOr(1u, all), t == 0 ? 0u : 1u); //~ warning[draft-name]: `WaveMultiPrefixBitOr`
}
//| FILE:5:15: warning: `WaveMultiPrefixOr` is a name from the draft of 2015; HLSL shipped it as `WaveMultiPrefixBitOr` [draft-name]
//|   |
//| 5 |     EXPECT_EQ(WaveMultiPrefixOr(1u, all), t == 0 ? 0u : 1u);
//|   |               ^^^^^^^^^^^^^^^^^
//|   |
//|   = help: write `WaveMultiPrefixBitOr`
//|   |
//| 5 -     EXPECT_EQ(WaveMultiPrefixOr(1u, all), t == 0 ? 0u : 1u);
//| 5 +     EXPECT_EQ(WaveMultiPrefixBitOr(1u, all), t == 0 ? 0u : 1u);

//--- a-sum-by-its-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveSum(1u), uint(WIDTH));
}
