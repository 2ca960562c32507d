// Required wave sizes that the threads of a group never fill.

//--- a-group-that-is-not-a-multiple-of-its-waves
//# widths 32
[WaveSize(32)] //~ warning[partial-wave]: 16 lanes of the last wave
[numthreads(48, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), t < 32 ? 32u : 16u);
}
//| FILE:3:1: warning: 16 lanes of the last wave of a group are never active [partial-wave]
//|   |
//| 3 | [WaveSize(32)]
//|   | ^^^^^^^^^^^^^^
//| 4 | [numthreads(48, 1, 1)]
//|   | ---------------------- the group
//|   |
//|   = note: a group has 48 threads, in waves of 32 lanes
//|   = help: make the number of threads a multiple of the wave size

//--- a-group-smaller-than-the-smallest-waves-of-a-range
//# widths 64
[WaveSize(64, 128)] //~ warning[partial-wave]: 32 lanes
[numthreads(8, 4, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), 32u);
}
//| FILE:3:1: warning: 32 lanes of the last wave of a group are never active [partial-wave]
//|   |
//| 3 | [WaveSize(64, 128)]
//|   | ^^^^^^^^^^^^^^^^^^^
//| 4 | [numthreads(8, 4, 1)]
//|   | --------------------- the group
//|   |
//|   = note: a group has 32 threads, in waves of 64 lanes
//|   = help: make the number of threads a multiple of the wave size

//--- a-group-that-fills-its-waves
//# widths 32
[WaveSize(32)]
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), 32u);
}

//--- a-single-thread-has-no-wave-in-mind
//# widths 32
[WaveSize(32)]
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), 1u);
}
