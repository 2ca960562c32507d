// The names of the 2015 draft behave like the shipped ones, and a warning gives today's name of each.

//--- every-draft-name-still-works
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 group = WaveMatch(t % 2);
    EXPECT_EQ(WaveAnyTrue(t > 2), WaveActiveAnyTrue(t > 2)); //~ warning[draft-name]: `WaveAnyTrue`
    EXPECT_EQ(WaveAllTrue(t > 2), WaveActiveAllTrue(t > 2)); //~ warning[draft-name]: `WaveAllTrue`
    EXPECT_EQ(WaveBallot(t > 2), WaveActiveBallot(t > 2)); //~ warning[draft-name]: `WaveBallot`
    EXPECT_EQ(WaveAllCountBits(t > 2), WaveActiveCountBits(t > 2)); //~ warning[draft-name]: `WaveAllCountBits`
    EXPECT_EQ(WaveReadFirstLane(t), WaveReadLaneFirst(t)); //~ warning[draft-name]: `WaveReadFirstLane`
    EXPECT_EQ(WaveAllSum(t), WaveActiveSum(t)); //~ warning[draft-name]: `WaveAllSum`
    EXPECT_EQ(WaveAllProduct(t), WaveActiveProduct(t)); //~ warning[draft-name]: `WaveAllProduct`
    EXPECT_EQ(WaveAllMin(t), WaveActiveMin(t)); //~ warning[draft-name]: `WaveAllMin`
    EXPECT_EQ(WaveAllMax(t), WaveActiveMax(t)); //~ warning[draft-name]: `WaveAllMax`
    EXPECT_EQ(WaveAllBitAnd(t), WaveActiveBitAnd(t)); //~ warning[draft-name]: `WaveAllBitAnd`
    EXPECT_EQ(WaveAllBitOr(t), WaveActiveBitOr(t)); //~ warning[draft-name]: `WaveAllBitOr`
    EXPECT_EQ(WaveAllBitXor(t), WaveActiveBitXor(t)); //~ warning[draft-name]: `WaveAllBitXor`
    EXPECT_EQ(WaveMultiPrefixAnd(t, group), WaveMultiPrefixBitAnd(t, group)); //~ warning[draft-name]: `WaveMultiPrefixAnd`
    EXPECT_EQ(WaveMultiPrefixOr(t, group), WaveMultiPrefixBitOr(t, group)); //~ warning[draft-name]: `WaveMultiPrefixOr`
    EXPECT_EQ(WaveMultiPrefixXor(t, group), WaveMultiPrefixBitXor(t, group)); //~ warning[draft-name]: `WaveMultiPrefixXor`
}

//--- the-draft-all-equal-gives-one-bool
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool same = WaveAllEqual(uint2(1, t)); //~ warning[draft-name]: `WaveAllEqual`
    EXPECT(!same);
    EXPECT(WaveAllEqual(uint2(1, 2))); //~ warning[draft-name]: `WaveAllEqual`
    EXPECT(WaveAllEqualBool(t < WIDTH)); //~ warning[draft-name]: `WaveAllEqualBool`
    EXPECT(!WaveActiveAllEqualBool(t < 1)); //~ warning[draft-name]: `WaveActiveAllEqualBool`
}
