// What DXC would refuse.

//--- signed-bits
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int x = WaveActiveBitOr((int)1); //~ warning[dxc-portability]: `WaveActiveBitOr`
    EXPECT_EQ(x, 1);
}
