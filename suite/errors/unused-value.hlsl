// Statements whose value is discarded.

//--- a-comparison-for-an-assignment
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = t;
    n == 3; //~ warning[unused-value]: comparison
    EXPECT_EQ(n, t);
}
//| FILE:5:5: warning: the result of this comparison is not used [unused-value]
//|   |
//| 5 |     n == 3;
//|   |     ^^^^^^
//|   |
//|   = help: use `=` to assign

//--- functions-change-none-of-their-arguments
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 v = float3(0, 2, 0);
    normalize(v); //~ warning[unused-value]: call
    v.x + 1; //~ warning[unused-value]: operation
    EXPECT_EQ(v.y, 2);
}
//| FILE:5:5: warning: the result of this call is not used, and the call has no other effect [unused-value]
//|   |
//| 5 |     normalize(v);
//|   |     ^^^^^^^^^^^^
//|   |
//|   = help: assign the result: library functions do not change their arguments
//|
//| FILE:6:5: warning: the result of this operation is not used [unused-value]
//|   |
//| 6 |     v.x + 1;
//|   |     ^^^^^^^

//--- values-that-are-dropped-on-purpose
uint next(inout uint n) { return n++; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    next(n);
    n++;
    (void)(n == 2);
    uint old;
    true && next(n);
    EXPECT_EQ(n, 3);
}
