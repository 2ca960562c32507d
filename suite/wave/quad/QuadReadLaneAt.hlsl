// QuadReadLaneAt reads lane 0 to 3 of the quad; which one may differ between lanes.

//--- any-lane-of-the-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint q = 0; q < 4; ++q) EXPECT_EQ(QuadReadLaneAt(t, q), t / 4 * 4 + q);
    EXPECT_EQ(QuadReadLaneAt(t, 3 - t % 4), t ^ 3);
    EXPECT_EQ(QuadReadLaneAt(float2(t, t + 1), 2), float2(t / 4 * 4 + 2, t / 4 * 4 + 3));
    EXPECT_EQ(QuadReadLaneAt((uint64_t)t, 1), (uint64_t)(t / 4 * 4 + 1));
}

//--- an-index-beyond-the-quad-wraps-here
//# finds lane-index-out-of-range
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint beyond = 5 + 4 * (t % 2);
    EXPECT_EQ(QuadReadLaneAt(t, beyond), t / 4 * 4 + 1);
}
