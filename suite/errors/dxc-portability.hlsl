// Code that DXC rejects.

//--- signed-bits
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int x = WaveActiveBitOr((int)1); //~ warning[dxc-portability]: `WaveActiveBitOr`
    EXPECT_EQ(x, 1);
}
//| FILE:4:29: warning: DXC takes `uint` and `uint64_t` for `WaveActiveBitOr`, not `int` [dxc-portability]
//|   |
//| 4 |     int x = WaveActiveBitOr((int)1);
//|   |                             ^^^^^^
//|   |
//|   = help: cast it to `uint`, which gives the same bits and compiles everywhere
