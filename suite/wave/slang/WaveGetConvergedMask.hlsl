// WaveGetConvergedMask is the set of converged lanes as far as 32 bits can hold it; here this equals WaveGetActiveMask.

//--- wave-get-converged-mask-is-the-ballot
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetConvergedMask(), WaveActiveBallot(true).x);
    if (t % 3 == 1) EXPECT_EQ(WaveGetConvergedMask(), WaveActiveBallot(true).x);
}

//--- get-converged-mask-is-an-older-name
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(GetConvergedMask(), WaveActiveBallot(true).x);
}
