// A comment that allows a report which does not occur may one day hide a new one.

//--- nothing-is-left-to-allow
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(self-assignment): the variable stays alive for the debugger //~ warning[unused-suppression]: allows `self-assignment`, which is not reported
    uint x = WaveGetLaneCount();
    EXPECT_EQ(x, uint(WIDTH));
}
//| FILE:4:8: warning: this comment allows `self-assignment`, which is not reported here [unused-suppression]
//|   |
//| 4 |     // wavelane: allow(self-assignment): the variable stays alive for the debugger
//|   |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: remove it, so that it hides nothing in the future

//--- findings-of-runs-are-judged-by-runs
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveGetLaneCount(); // wavelane: allow(race): no other thread writes it
    EXPECT_EQ(x, uint(WIDTH));
}
