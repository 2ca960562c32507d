// IsHelperLane is false in compute shaders, where there are no helper lanes.

//--- no-helpers-in-compute
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(IsHelperLane(), false);
    if (t & 1) EXPECT(!IsHelperLane());
}
