// Unit tests in HLSL: wavelane test suite/jobs/unit.hlsl
#include <wavelane.hlsli>

// The function under test, stream compaction: the new index of a lane's element when the kept elements move together.
uint compacted(bool keep) {
    return WavePrefixCountBits(keep);
}

TEST_CASE(kept_lanes_move_together) {
    uint lane = WaveGetLaneIndex();
    EXPECT_EQ(compacted(true), lane);
    EXPECT_EQ(compacted((lane & 1) == 0), (lane + 1) / 2);
}

TEST_CASE(every_type_can_be_compared) {
    EXPECT(WaveActiveAllTrue(true));
    EXPECT_EQ(int3(-1, 0, 1), int3(-1, 0, 1));
    EXPECT_EQ((uint64_t)1 << 40, 1099511627776ull);
    EXPECT_EQ(float2(0.5, 1.5) * 2, float2(1, 3));
    EXPECT_EQ(0.25l + 0.25l, 0.5l);
    EXPECT_EQ(bool2(true, false), bool2(true, false));
    EXPECT_NE(test_index, test_index + 1);
    EXPECT_NEAR(sin(0.5), 0.479425, 1e-5);
}

TEST_CASE_N(groups_have_the_size_that_they_ask_for, 8, 4, 1) {
    EXPECT_EQ(test_index, test_thread.y * 8 + test_thread.x);
}

groupshared uint shared_sum;

[test]
[numthreads(32, 1, 1)]
void an_entry_point_of_your_own(uint i : SV_GroupIndex) {
    if (i == 0)
        shared_sum = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(shared_sum, i);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(shared_sum, 496);
}
