// A name means one thing in a scope.

//--- two-variables-of-one-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = t;
    float n = 1; //~ error[duplicate-name]: `n`
}

//--- two-bodies-of-one-function
uint f(uint x) { return x; }
uint f(uint y) { return y; } //~ error[duplicate-name]: `f`
[numthreads(4, 1, 1)] void main() {}
