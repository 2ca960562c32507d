// GetGroupWaveIndex is the index of this wave in its group, the same for all its lanes.

//--- get-group-wave-index-counts-the-waves-of-the-group
//# finds depends-on-wave-count
//# groups 2 1 1
[numthreads(3 * WIDTH + 1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(GetGroupWaveIndex(), t / WIDTH);
}
