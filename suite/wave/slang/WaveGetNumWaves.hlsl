// WaveGetNumWaves is the number of waves of the group, including a partial one.

//--- wave-get-num-waves-counts-a-partial-wave-too
//# finds depends-on-wave-count
//# args --dialect slang
[numthreads(3 * WIDTH + 1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetNumWaves(), 4);
}

//--- wave-get-num-waves-of-one-wave
//# finds depends-on-wave-count
//# args --dialect slang
[numthreads(2, 2, 1)]
void main() {
    EXPECT_EQ(WaveGetNumWaves(), 1);
}
