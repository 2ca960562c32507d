// Shaders have no stack.

//--- a-function-that-calls-itself
uint fact(uint n) {
    return n < 2 ? 1 : n * fact(n - 1); //~ error[recursion]: `fact` calls itself
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    fact(t);
}

//--- functions-that-call-each-other
uint odd(uint n);
uint even(uint n) { return n == 0 ? 1 : odd(n - 1); }
uint odd(uint n) {
    return n == 0 ? 0 : even(n - 1); //~ error[recursion]: `even` comes to call itself
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    even(t);
}
