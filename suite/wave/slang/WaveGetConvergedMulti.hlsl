// WaveGetConvergedMulti is the set of converged lanes; here the two are the same.

//--- wave-get-converged-multi-is-the-ballot
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetConvergedMulti(), WaveActiveBallot(true));
    if (t % 3 == 1) EXPECT_EQ(WaveGetConvergedMulti(), WaveActiveBallot(true));
}
