// Declarations that cannot be.

//--- an-array-of-no-size
groupshared uint data[]; //~ error[bad-declaration]: the size of the array `data` is missing
[numthreads(4, 1, 1)] void main() {}

//--- a-struct-in-itself
struct S {
    S inner; //~ error[bad-declaration]: `S` is not complete here
};
[numthreads(4, 1, 1)] void main() {}
