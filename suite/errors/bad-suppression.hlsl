// A comment that allows a report names existing codes, and gives a reason.

//--- allowed-without-a-reason
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(self-assignment) //~ error[bad-suppression]: no reason
    t = t; //~ warning[self-assignment]: `t`
}
//| FILE:4:8: error: this comment gives no reason [bad-suppression]
//|   |
//| 4 |     // wavelane: allow(self-assignment)
//|   |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: the form is `// wavelane: allow(CODE): REASON`
//|
//| FILE:5:5: warning: `t` is assigned to itself [self-assignment]
//|   |
//| 5 |     t = t;
//|   |     ^^^^^
//|   |
//|   = help: use `this.` to name a member that has the same name as a parameter

//--- allowed-by-an-unknown-name
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(self-asignment): the parameter stays alive //~ error[bad-suppression]: did you mean `self-assignment`?
    t = t; //~ warning[self-assignment]: `t`
}
//| FILE:4:8: error: unknown code `self-asignment`; did you mean `self-assignment`? [bad-suppression]
//|   |
//| 4 |     // wavelane: allow(self-asignment): the parameter stays alive
//|   |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: the form is `// wavelane: allow(CODE): REASON`
//|
//| FILE:5:5: warning: `t` is assigned to itself [self-assignment]
//|   |
//| 5 |     t = t;
//|   |     ^^^^^
//|   |
//|   = help: use `this.` to name a member that has the same name as a parameter

//--- an-error-cannot-be-allowed
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // wavelane: allow(type-mismatch): I know better //~ error[bad-suppression]: an error of the compiler
}
//| FILE:4:8: error: `type-mismatch` is an error of the compiler, which cannot be allowed [bad-suppression]
//|   |
//| 4 |     // wavelane: allow(type-mismatch): I know better
//|   |        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: the form is `// wavelane: allow(CODE): REASON`

//--- allowed-with-a-reason
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveGetLaneCount();
    x = x; // wavelane: allow(self-assignment): the variable stays alive for the debugger
    EXPECT_EQ(x, uint(WIDTH));
}
