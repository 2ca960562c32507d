// Slang's functions work, with a warning.

//--- a-rotation
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveRotate(t, 1), (t + 1) % WIDTH); //~ warning[slang-only]: `WaveRotate`
}
//| FILE:4:15: warning: `WaveRotate` is a function of Slang, which DXC does not have [slang-only]
//|   |
//| 4 |     EXPECT_EQ(WaveRotate(t, 1), (t + 1) % WIDTH);
//|   |               ^^^^^^^^^^
//|   |
//|   = help: compile with `--dialect slang` if this is intended

//--- in-the-dialect-nothing-is-said
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveRotate(t, 1), (t + 1) % WIDTH);
}
