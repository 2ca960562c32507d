// Functions: parameter passing and overload resolution.

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
// Copy-in, copy-out: the caller's variable changes when the callee returns.
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

//--- overload-ranks
uint a(float v) { return 1; }
uint a(uint v) { return 2; }
uint b(float2 v) { return 1; }
uint b(float4 v) { return 2; }
uint c(float v) { return 1; }
uint c(double v) { return 2; }
uint d(int v, float w) { return 1; }
uint d(int v, int w) { return 2; }
uint e(inout float v) { return 1; }
uint e(inout int v) { return 2; }
uint f(float3 v) { return 1; }
uint f(float v) { return 2; }
uint g(uint64_t v) { return 1; }
uint g(uint v) { return 2; }
uint h(min16uint v) { return 1; }
uint h(uint v) { return 2; }
uint h(uint64_t v) { return 3; }
uint s(uint v[2]) { return 1; }
uint s(uint v[3]) { return 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int i = (int)t;
    EXPECT_EQ(a(1.5), 1);
    EXPECT_EQ(a(t), 2);
    EXPECT_EQ(b(float2(1, 2)), 1);
    EXPECT_EQ(b(float4(1, 2, 3, 4)), 2);
    EXPECT_EQ(c(1.0), 1);
    EXPECT_EQ(c((half)1), 1);
    EXPECT_EQ(d(i, 1), 2);
    EXPECT_EQ(d(i, 1.0), 1);
    float x = 1;
    EXPECT_EQ(e(x), 1);
    EXPECT_EQ(e(i), 2);
    EXPECT_EQ(f(1.0), 2);
    EXPECT_EQ(f(float3(1, 2, 3)), 1);
    EXPECT_EQ(f(t), 2);
    EXPECT_EQ(g(t), 2);
    min16uint small = (min16uint)t;
    EXPECT_EQ(h(small), 1);
    EXPECT_EQ(h((uint64_t)t), 3);
    uint two[2] = { 1, 2 }, three[3] = { 1, 2, 3 };
    EXPECT_EQ(s(two) * 10 + s(three), 12);
}

//--- overload-ambiguity
uint f(uint v, float w) { return 1; }
uint f(float v, uint w) { return 2; }
uint g(uint64_t v) { return 1; }
uint g(int64_t v) { return 2; }
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = f(t, t); //~ error[ambiguous-call]: several overloads match `(uint, uint)` equally well
    uint b = f(1.0, 1.0); //~ error[ambiguous-call]: the call of `f` is ambiguous
}

//--- overload-user-hides-intrinsics
uint all(bool a, uint b) { return b + 1; }
float saturate(float v) { return 42; }
uint WaveGetLaneCount2() { return WaveGetLaneCount(); }
namespace N { float sin(float x) { return 7; } float twice(float x) { return sin(x) + ::sin(0); } }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(all(true, t), t + 1);
    EXPECT_EQ(all(bool2(true, false)), false);
    EXPECT_EQ(saturate(3.0f), 42.0);
    EXPECT_EQ(saturate(float2(3, -1)), float2(1, 0));
    EXPECT_EQ(N::twice(1), 7.0);
    EXPECT_EQ(sin(0), 0.0);
}

//--- functions-return-the-call-of-a-function-without-a-result
//# zero Done 4
//= Done u32: 5
void set(out uint v, uint to) { v = to; }
void pass(out uint v, uint to) { return set(v, to); }
void choose(inout uint v, uint t) {
    if (t & 1) return set(v, t + 7);
    v += 1;
}
struct Setter {
    uint by;
    void set(out uint v, uint to) { return ::pass(v, to * by); }
};
RWStructuredBuffer<uint> Done;
void finish(uint t) { if (t == 0) Done[0] = 5; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a, b = t, c;
    pass(a, t + 3);
    EXPECT_EQ(a, t + 3);
    choose(b, t);
    EXPECT_EQ(b, t & 1 ? t + 7 : t + 1);
    Setter setter = { 3 };
    setter.set(c, t);
    EXPECT_EQ(c, 3 * t);
    return finish(t);
}
