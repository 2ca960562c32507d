// WaveGetLaneGeMask is the set of lanes with an index >= that of this lane, active or not.

//--- wave-get-lane-ge-mask
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 expected = uint4(0, 0, 0, 0);
    for (uint lane = 0; lane < WIDTH; ++lane) if (lane >= t) expected[lane / 32] |= 1u << (lane % 32);
    EXPECT_EQ(WaveGetLaneGeMask(), expected);
    if (t & 1) EXPECT_EQ(WaveGetLaneGeMask(), expected);
}
