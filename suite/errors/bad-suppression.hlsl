// A comment that allows a report names codes that exist, and its reason.

//--- allowed-without-a-reason
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(self-assignment) //~ error[bad-suppression]: no reason
    t = t; //~ warning[self-assignment]: `t`
}

//--- allowed-by-a-name-that-nobody-knows
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(self-asignment): the parameter stays alive //~ error[bad-suppression]: did you mean `self-assignment`?
    t = t; //~ warning[self-assignment]: `t`
}

//--- an-error-cannot-be-allowed
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(type-mismatch): I know better //~ error[bad-suppression]: an error of the compiler
}

//--- allowed-with-a-reason
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveGetLaneCount();
    x = x; // wavelane: allow(self-assignment): the variable stays alive for the debugger
    EXPECT_EQ(x, uint(WIDTH));
}
