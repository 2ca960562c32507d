// WaveGetLaneIndex counts the lanes of a wave from zero.

//--- lane-indices-count-up
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetLaneIndex(), t % WIDTH);
}

//--- lane-indices-of-a-volume-follow-the-group-index
//# finds order-dependent-result
[numthreads(4, 3, 2)]
void main(uint3 thread : SV_GroupThreadID, uint index : SV_GroupIndex) {
    EXPECT_EQ(index, thread.z * 12 + thread.y * 4 + thread.x);
    EXPECT_EQ(WaveGetLaneIndex(), index % WIDTH);
}
