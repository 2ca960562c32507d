// Functions: how arguments go in and come out, and which overload a call means.

//--- functions-in-out-and-inout
void split(in uint x, out uint low, out uint high) { low = x & 3; high = x >> 2; x = 99; }
void twice(inout uint x) { x += x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t, low, high;
    split(x, low, high);
    EXPECT_EQ(x, t);
    EXPECT_EQ(low + 4 * high, t);
    twice(x);
    twice(x);
    EXPECT_EQ(x, 4 * t);
}

//--- functions-copy-out-when-they-return
// The parameter is the callee's own; the caller's variable changes at the end.
static uint seen;
static uint global;
void touch(inout uint p) { p = 7; seen = global; }
void order(out uint a, out uint b) { a = 1; b = 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    global = t;
    touch(global);
    EXPECT_EQ(seen, t);
    EXPECT_EQ(global, 7);
    uint x;
    order(x, x);
    EXPECT_EQ(x, 2);
}

//--- functions-with-default-arguments
uint mix3(uint a, uint b = 10, uint c = 100) { return a + b + c; }
static const uint Step = 5;
uint next(uint x, uint by = Step * 2) { return x + by; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(mix3(t), t + 110);
    EXPECT_EQ(mix3(t, 1), t + 101);
    EXPECT_EQ(mix3(t, 1, 2), t + 3);
    EXPECT_EQ(next(t), t + 10);
}

//--- functions-overloaded-by-scalar-type
//# args -enable-16bit-types
uint of(int x) { return 1; }
uint of(uint x) { return 2; }
uint of(float x) { return 3; }
uint of(bool x) { return 4; }
uint of(uint64_t x) { return 5; }
uint of(int64_t x) { return 6; }
uint of(double x) { return 7; }
uint of(uint16_t x) { return 8; }
uint of(float16_t x) { return 9; }
uint of(int16_t x) { return 10; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(of(t), 2);
    EXPECT_EQ(of((int)t), 1);
    EXPECT_EQ(of(1), 1);
    EXPECT_EQ(of(1u), 2);
    EXPECT_EQ(of(1.0), 3);
    EXPECT_EQ(of(1.0f), 3);
    EXPECT_EQ(of(t == 0), 4);
    EXPECT_EQ(of(1ull), 5);
    EXPECT_EQ(of((int64_t)t), 6);
    EXPECT_EQ(of(1.0l), 7);
    EXPECT_EQ(of((uint16_t)t), 8);
    EXPECT_EQ(of((float16_t)t), 9);
    EXPECT_EQ(of((int16_t)t), 10);
}

//--- functions-overloaded-by-size-and-count
uint size(uint x) { return 1; }
uint size(uint2 x) { return 2; }
uint size(uint3 x) { return 3; }
uint size(uint x, uint y) { return 11; }
uint size(float2x2 m) { return 22; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(size(t), 1);
    EXPECT_EQ(size(uint2(t, t)), 2);
    EXPECT_EQ(size(t.xxx), 3);
    EXPECT_EQ(size(t, t), 11);
    EXPECT_EQ(size((float2x2)0), 22);
}

//--- functions-overloaded-by-structure
struct A { uint x; };
struct B { uint x; };
uint which(A a) { return 10 + a.x; }
uint which(B b) { return 20 + b.x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A a; a.x = t;
    B b; b.x = t;
    EXPECT_EQ(which(a), 10 + t);
    EXPECT_EQ(which(b), 20 + t);
}

//--- functions-that-share-the-name-of-an-intrinsic
bool all(bool x, uint n) { return x && n > 2; }
uint max(uint a, uint b, uint c) { return max(a, max(b, c)); }
uint saturate(uint x) { return x > 3 ? 3 : x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(all(true, t), t > 2);
    EXPECT_EQ(all(bool2(true, t > 0)), t > 0);
    EXPECT_EQ(max(t, 2u, 1u), t > 2 ? t : 2);
    EXPECT_EQ(saturate(t), t > 3 ? 3 : t);
    EXPECT_EQ(saturate(2.5f), 1.0);
}

//--- functions-with-prototypes
uint later(uint x, uint y = 3);
uint sooner(uint x) { return later(x) + 1; }
uint later(uint x, uint y) { return x * y; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(sooner(t), 3 * t + 1);
}

//--- functions-return-from-anywhere
uint classify(uint x) {
    if (x == 0) return 100;
    for (uint i = 1; i < 8; ++i) {
        if (x == i * i) return i;
        switch (x) { case 2: return 22; case 3: return 33; default: break; }
    }
    return 0;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint expected = 0;
    if (t == 0) expected = 100;
    if (t == 1) expected = 1;
    if (t == 2) expected = 22;
    if (t == 3) expected = 33;
    if (t == 4) expected = 2;
    if (t == 9) expected = 3;
    if (t == 16) expected = 4;
    if (t == 25) expected = 5;
    if (t == 36) expected = 6;
    if (t == 49) expected = 7;
    EXPECT_EQ(classify(t), expected);
}

//--- functions-take-and-return-structures-and-arrays
struct S { uint a; uint2 b; };
typedef uint Three[3];
S make(uint a) { S s; s.a = a; s.b = uint2(a + 1, a + 2); return s; }
Three three(uint a) { Three r = { a, a + 1, a + 2 }; return r; }
uint total(S s, Three r) { return s.a + s.b.x + s.b.y + r[0] + r[1] + r[2]; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(total(make(t), three(t)), 6 * t + 6);
    EXPECT_EQ(make(t).b.y, t + 2);
    EXPECT_EQ(three(t)[t % 3], t + t % 3);
}

//--- functions-out-into-swizzles-and-elements
void pair(out uint2 v) { v = uint2(8, 9); }
void add(inout uint x, uint y) { x += y; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v = uint4(1, 2, 3, 4);
    pair(v.wx);
    EXPECT_EQ(v, uint4(9, 2, 3, 8));
    add(v[t % 4], t);
    EXPECT_EQ(v[t % 4], uint4(9, 2, 3, 8)[t % 4] + t);
    uint a[4] = { 0, 0, 0, 0 };
    add(a[t % 4], 5);
    EXPECT_EQ(a[t % 4], 5);
    EXPECT_EQ(a[(t + 1) % 4], 0);
}

//--- functions-with-scalar-parameters-for-system-values
[numthreads(WIDTH, 1, 1)]
void main(uint thread : SV_DispatchThreadID, uint local : SV_GroupThreadID, uint2 group : SV_GroupID, uint t : SV_GroupIndex) {
    EXPECT_EQ(thread, t);
    EXPECT_EQ(local.x, t);
    EXPECT_EQ(local.xx, uint2(t, t));
    EXPECT_EQ(group, uint2(0, 0));
}

//--- functions-with-signed-system-values
[numthreads(WIDTH, 1, 1)]
void main(int3 thread : SV_DispatchThreadID, int t : SV_GroupIndex) {
    EXPECT_EQ(thread.x, t);
    EXPECT_EQ(thread.x - WIDTH, t - WIDTH);
}

//--- functions-modified-inline-static-precise
inline uint one() { return 1; }
static uint two() { return 2; }
precise float three(precise float x) { return x * 3; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(one() + two(), 3);
    EXPECT_EQ(three(t), 3.0 * t);
}
