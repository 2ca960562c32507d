// A name means one thing in a scope.

//--- two-variables-of-one-name
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = t;
    float n = 1; //~ error[duplicate-name]: `n`
}
//| FILE:5:11: error: `n` is already declared in this scope [duplicate-name]
//|   |
//| 4 |     uint n = t;
//|   |          - first declared here
//| 5 |     float n = 1;
//|   |           ^

//--- two-bodies-of-one-function
uint f(uint x) { return x; }
uint f(uint y) { return y; } //~ error[duplicate-name]: `f`
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:6: error: `f` is already declared in this scope [duplicate-name]
//|   |
//| 2 | uint f(uint x) { return x; }
//|   |      - first declared here
//| 3 | uint f(uint y) { return y; }
//|   |      ^

//--- two-structs-of-one-name
struct Pair { uint a; };
struct Pair { uint a, b; uint sum() { return a + b; } }; //~ error[duplicate-name]: `Pair`
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Pair p;
    p.b = t;
    p.a = p.sum() + p.missing;
}
//| FILE:3:8: error: `Pair` is already declared in this scope [duplicate-name]
//|   |
//| 2 | struct Pair { uint a; };
//|   |        ---- first declared here
//| 3 | struct Pair { uint a, b; uint sum() { return a + b; } };
//|   |        ^^^^
