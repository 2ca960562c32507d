// WaveClusteredRotate rotates inside clusters of lanes.

//--- rotating-clusters
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveClusteredRotate(t, 1, 4), t / 4 * 4 + (t + 1) % 4);
    EXPECT_EQ(WaveClusteredRotate(t, 5, 2), t ^ 1);
}
