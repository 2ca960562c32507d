// WaveGetConvergedMulti is the set of converged lanes; here this equals WaveGetActiveMulti.

//--- wave-get-converged-multi-is-the-ballot
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetConvergedMulti(), WaveActiveBallot(true));
    if (t % 3 == 1) EXPECT_EQ(WaveGetConvergedMulti(), WaveActiveBallot(true));
}
