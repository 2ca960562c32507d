// Calls need an overload that accepts their arguments.

//--- a-bitwise-reduction-of-floats
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float x = WaveActiveBitAnd(0.5 * t); //~ error[no-matching-function]: takes an integer
}
//| FILE:4:32: error: `WaveActiveBitAnd` takes an integer or a vector or matrix of them, not `float` [no-matching-function]
//|   |
//| 4 |     float x = WaveActiveBitAnd(0.5 * t);
//|   |                                ^^^^^^^
//|   |
//|   = note: candidate: `T WaveActiveBitAnd(unsigned T value)`, the bitwise and of the values of the active lanes

//--- an-argument-too-few
uint add(uint a, uint b) { return a + b; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    add(t); //~ error[no-matching-function]: takes 2 arguments, but 1 was given
}
//| FILE:5:5: error: `add` takes 2 arguments, but 1 was given [no-matching-function]
//|   |
//| 2 | uint add(uint a, uint b) { return a + b; }
//|   |      --- `uint add(uint, uint)` takes a different number of arguments
//| ...
//| 5 |     add(t);
//|   |     ^^^^^^

//--- a-constant-for-an-out-parameter
void set(out uint x) { x = 1; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    set(3); //~ error[no-matching-function]: set
}
//| FILE:5:9: error: `set` writes its parameter `x`, but this argument is not a variable [no-matching-function]
//|   |
//| 2 | void set(out uint x) { x = 1; }
//|   |      --- `void set(out uint)` is declared here
//| ...
//| 5 |     set(3);
//|   |         ^
