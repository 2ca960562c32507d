// Recursion is an error: shaders have no stack.

//--- a-function-that-calls-itself
uint fact(uint n) {
    return n < 2 ? 1 : n * fact(n - 1); //~ error[recursion]: `fact` calls itself
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    fact(t);
}
//| FILE:3:28: error: `fact` calls itself, but shaders cannot recurse [recursion]
//|   |
//| 2 | uint fact(uint n) {
//|   |      ---- `fact` is declared here
//| 3 |     return n < 2 ? 1 : n * fact(n - 1);
//|   |                            ^^^^^^^^^^^

//--- functions-that-call-each-other
uint odd(uint n);
uint even(uint n) { return n == 0 ? 1 : odd(n - 1); }
uint odd(uint n) {
    return n == 0 ? 0 : even(n - 1); //~ error[recursion]: `even` calls itself indirectly
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    even(t);
}
//| FILE:5:25: error: `even` calls itself indirectly, but shaders cannot recurse [recursion]
//|   |
//| 3 | uint even(uint n) { return n == 0 ? 1 : odd(n - 1); }
//|   |      ---- `even` is declared here
//| 4 | uint odd(uint n) {
//| 5 |     return n == 0 ? 0 : even(n - 1);
//|   |                         ^^^^^^^^^^^
//|   |
//|   = note: `even` calls `odd`
//|   = note: `odd` calls `even`
