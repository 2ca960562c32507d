// Shifts use only the low bits of the count.

//--- a-shift-by-all-bits
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint all = (1u << 32) - 1; //~ warning[shift-out-of-range]: 32 bits
    EXPECT_EQ(all, 0);
    int n = 4;
    n >>= -1; //~ warning[shift-out-of-range]: negative
    EXPECT_EQ(n, 0);
}
//| FILE:4:23: warning: `uint` has 32 bits, but this shifts by 32 [shift-out-of-range]
//|   |
//| 4 |     uint all = (1u << 32) - 1;
//|   |                       ^^
//|   |
//|   = note: only the low bits of the amount count: this shifts by 0
//|
//| FILE:7:11: warning: the shift amount is negative [shift-out-of-range]
//|   |
//| 7 |     n >>= -1;
//|   |           ^^
//|   |
//|   = note: only the low bits of the amount count: this shifts by 31
