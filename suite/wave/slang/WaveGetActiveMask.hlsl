// WaveGetActiveMask is the set of active lanes as far as 32 bits can hold it; here this equals WaveGetConvergedMask.

//--- wave-get-active-mask-is-the-ballot
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetActiveMask(), WaveActiveBallot(true).x);
    if (t % 3 == 1) EXPECT_EQ(WaveGetActiveMask(), WaveActiveBallot(true).x);
}
