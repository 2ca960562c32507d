// Functions of Slang work, with a word about it.

//--- a-rotation
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveRotate(t, 1), (t + 1) % WIDTH); //~ warning[slang-only]: `WaveRotate`
}

//--- in-the-dialect-nothing-is-said
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveRotate(t, 1), (t + 1) % WIDTH);
}
