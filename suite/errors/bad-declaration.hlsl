// Declarations that cannot be.

//--- an-array-of-no-size
groupshared uint data[]; //~ error[bad-declaration]: the size of the array `data` is missing
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:18: error: the size of the array `data` is missing [bad-declaration]
//|   |
//| 2 | groupshared uint data[];
//|   |                  ^^^^

//--- a-struct-in-itself
struct S {
    S inner; //~ error[bad-declaration]: `S` is not complete here
};
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:7: error: `S` is not complete here, so it cannot be a field [bad-declaration]
//|   |
//| 3 |     S inner;
//|   |       ^^^^^
