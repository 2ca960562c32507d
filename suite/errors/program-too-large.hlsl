// Calls are inlined, so a tree of calls that doubles at each level grows exponentially.

//--- a-call-tree-that-explodes
#define LEVEL(N, M) uint f##N(uint x) { return f##M(x) + f##M(x + N); }
uint f0(uint x) { return x * x; }
LEVEL(1, 0) LEVEL(2, 1) LEVEL(3, 2) LEVEL(4, 3) LEVEL(5, 4) LEVEL(6, 5) LEVEL(7, 6) LEVEL(8, 7)
LEVEL(9, 8) LEVEL(10, 9) LEVEL(11, 10) LEVEL(12, 11) LEVEL(13, 12) LEVEL(14, 13) LEVEL(15, 14) LEVEL(16, 15)
LEVEL(17, 16) LEVEL(18, 17) LEVEL(19, 18) LEVEL(20, 19) LEVEL(21, 20) LEVEL(22, 21) LEVEL(23, 22)
RWStructuredBuffer<uint> data;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    data[t] = f23(t); //~ error[program-too-large]: below `f23`
}
//| FILE:10:15: error: the program grows too large when the calls below `f23` are expanded [program-too-large]
//|    |
//| 10 |     data[t] = f23(t);
//|    |               ^^^^^^
//|    |
//|    = note: a program may have 2000000 instructions after every call has become its function's body
//|    = help: turn repeated calls into a loop around one call, or keep the result of the first in a variable

//--- a-value-with-too-many-scalars
struct Huge { uint a[100000]; };
uint first(Huge h) { return h.a[0]; }
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Huge h;
    h.a[t] = t;
    first(h); //~ error[program-too-large]: 100000 scalars
}
//| FILE:8:11: error: a value of type `Huge` has 100000 scalars [program-too-large]
//|   |
//| 8 |     first(h);
//|   |           ^
