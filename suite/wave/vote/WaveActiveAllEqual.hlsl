// WaveActiveAllEqual says for each component whether all active lanes hold the same value.

//--- equal-and-different
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(WaveActiveAllEqual(7));
    EXPECT(!WaveActiveAllEqual(t));
    EXPECT(WaveActiveAllEqual(t < WIDTH));
}

//--- equality-is-asked-of-active-lanes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(!WaveActiveAllEqual(t / 2 * 2 == t));
    if (t % 2 == 0) EXPECT(WaveActiveAllEqual(t % 2));
    if (t == 1) EXPECT(WaveActiveAllEqual(t));
}

//--- equality-of-vectors-is-a-vector
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveAllEqual(uint3(1, t, 2)), bool3(true, false, true));
}

//--- a-nan-is-equal-to-nothing
//# finds float-equality
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float nan = asfloat(0x7fc00000);
    EXPECT(!WaveActiveAllEqual(nan));
    if (t == 0) EXPECT(!WaveActiveAllEqual(nan));
    EXPECT(WaveActiveAllEqual(t & 1 ? 0.0 : -0.0));
}

//--- equality-of-64-bit-values
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint64_t high = (uint64_t)(t / (WIDTH - 1)) << 40;
    EXPECT(!WaveActiveAllEqual(high));
    EXPECT(WaveActiveAllEqual(high >> 41));
    EXPECT(WaveActiveAllEqual((double)1.5));
}
