// WaveGetActiveMulti is the set of active lanes; here this equals WaveGetConvergedMulti.

//--- wave-get-active-multi-is-the-ballot
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveGetActiveMulti(), WaveActiveBallot(true));
    if (t % 3 == 1) EXPECT_EQ(WaveGetActiveMulti(), WaveActiveBallot(true));
}
