// Lane masks that are truncated to 32 bits.

//--- one-word-of-a-ballot
//# widths 4..32
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint odd = WaveActiveBallot((t & 1) == 1).x; //~ warning[narrow-lane-mask]: only the first 32 bits
    EXPECT_EQ(countbits(odd), uint(WIDTH / 2));
}
//| FILE:5:16: warning: only the first 32 bits of this set of lanes are used [narrow-lane-mask]
//|   |
//| 5 |     uint odd = WaveActiveBallot((t & 1) == 1).x;
//|   |                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: waves have up to 128 lanes; those from 32 on are in `.y`, `.z` and `.w`
//|   = help: to count all lanes, use `WaveActiveCountBits`, `WavePrefixCountBits` or `countbits` of all four words
//|   = help: if the shader only runs with narrow waves, state it: `[WaveSize(4, 32)]`

//--- one-word-of-a-ballot-in-a-variable
//# widths 4..32
uint4 odd(uint t) { return WaveActiveBallot((t & 1) == 1); } //~ warning[narrow-lane-mask]: only the first 32 bits
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 lanes = odd(t);
    EXPECT_EQ(countbits(lanes.x), uint(WIDTH / 2));
}
//| FILE:3:28: warning: only the first 32 bits of this set of lanes are used [narrow-lane-mask]
//|   |
//| 3 | uint4 odd(uint t) { return WaveActiveBallot((t & 1) == 1); }
//|   |                            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: waves have up to 128 lanes; those from 32 on are in `.y`, `.z` and `.w`
//|   = help: to count all lanes, use `WaveActiveCountBits`, `WavePrefixCountBits` or `countbits` of all four words
//|   = help: if the shader only runs with narrow waves, state it: `[WaveSize(4, 32)]`

//--- a-bit-for-a-lane
//# widths 4..32
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lane = WaveGetLaneIndex();
    uint mine = 1u << lane; //~ warning[narrow-lane-mask]: a 32-bit mask has no bits for the lanes from 32 on
    EXPECT_EQ(firstbitlow(mine), t % WIDTH);
}
//| FILE:6:17: warning: a 32-bit mask has no bits for the lanes from 32 on [narrow-lane-mask]
//|   |
//| 6 |     uint mine = 1u << lane;
//|   |                 ^^^^^^^^^^
//|   |
//|   = note: waves have up to 128 lanes; lane 32 gets the bit of lane 0
//|   = help: use a `uint4` for a set of lanes: bit `lane % 32` of the component `lane / 32`
//|   = help: if the shader only runs with narrow waves, state it: `[WaveSize(4, 32)]`

//--- all-words-of-a-ballot
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 odd = countbits(WaveActiveBallot((t & 1) == 1));
    EXPECT_EQ(odd.x + odd.y + odd.z + odd.w, uint(WIDTH / 2));
}

//--- one-word-where-the-width-is-stated
//# widths 32
[WaveSize(32)]
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(countbits(WaveActiveBallot((t & 1) == 1).x & (1u << WaveGetLaneIndex())), t & 1);
}

//--- one-word-where-the-width-was-asked-for
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (WaveGetLaneCount() <= 32) EXPECT_EQ(countbits(WaveActiveBallot(true).x), uint(WIDTH));
    else EXPECT_EQ(WaveActiveCountBits(true), uint(WIDTH));
}

//--- a-group-of-32-threads-has-no-lane-beyond
//# widths 4..32
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(countbits(WaveActiveBallot((t & 1) == 1).x & (1u << WaveGetLaneIndex())), t & 1);
}
