// A `switch` over the number of lanes that handles only some widths.

//--- two-widths-of-six
//# widths 32 64
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint shift = 0;
    switch (WaveGetLaneCount()) { //~ warning[lane-count-switch]: waves of 4, 8, 16, 128 lanes
    case 32: shift = 5; break;
    case 64: shift = 6; break;
    }
    EXPECT_EQ(1u << shift, uint(WIDTH));
}
//| FILE:6:5: warning: this `switch` has no case for waves of 4, 8, 16, 128 lanes [lane-count-switch]
//|   |
//| 6 |     switch (WaveGetLaneCount()) {
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: add a `default`, or state the widths with `[WaveSize]`

//--- two-widths-and-a-default
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint shift;
    switch (WaveGetLaneCount()) {
    case 32: shift = 5; break;
    case 64: shift = 6; break;
    default: shift = firstbithigh(WaveGetLaneCount()); break;
    }
    EXPECT_EQ(1u << shift, uint(WIDTH));
}

//--- two-widths-that-are-stated
//# widths 32 64
[WaveSize(32, 64)]
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint shift = 0;
    switch (WaveGetLaneCount()) {
    case 32: shift = 5; break;
    case 64: shift = 6; break;
    }
    EXPECT_EQ(1u << shift, uint(WIDTH));
}
