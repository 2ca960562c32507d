// An overload must take the arguments.

//--- a-bitwise-reduction-of-floats
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float x = WaveActiveBitAnd(0.5 * t); //~ error[no-matching-function]: takes an integer
}

//--- an-argument-too-few
uint add(uint a, uint b) { return a + b; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    add(t); //~ error[no-matching-function]: takes 2 arguments, and 1 was given
}

//--- a-constant-for-an-out-parameter
void set(out uint x) { x = 1; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    set(3); //~ error[no-matching-function]: set
}
