// GetGroupWaveCount is the number of waves of the group, including a partial one.

//--- get-group-wave-count-counts-a-partial-wave-too
//# finds depends-on-wave-count
[numthreads(3 * WIDTH + 1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(GetGroupWaveCount(), 4);
}

//--- get-group-wave-count-of-one-wave
//# finds depends-on-wave-count
[numthreads(2, 2, 1)]
void main() {
    EXPECT_EQ(GetGroupWaveCount(), 1);
}
