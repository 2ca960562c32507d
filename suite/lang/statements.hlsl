// Rare statements and declarations.

//--- forms-of-loops
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0, j = 10; i < j; i++, j--) sum += j - i;
    EXPECT_EQ(sum, 30);
    uint k;
    for (k = 0; ; ) { if (++k > t) break; }
    EXPECT_EQ(k, t + 1);
    uint n = 0;
    do { n += 2; } while (n < t);
    EXPECT_EQ(n, t < 2 ? 2 : (t + 1) / 2 * 2);
    do n--; while (false);
    while (n > 3) n--;
    EXPECT_EQ(n, min(t < 2 ? 1 : (t + 1) / 2 * 2 - 1, 3));
    for (;;) { if (true) break; }
    ;;;
    { }
    if (t) ; else { sum = 1; }
    EXPECT_EQ(sum, t ? 30 : 1);
}

//--- forms-of-attributes-on-statements
//# args -Wno-unknown-attribute
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint s = 0;
    [unroll] for (uint i = 0; i < 3; i++) s += i;
    [unroll(4)] for (uint a = 0; a < t; a++) s++;
    [loop] while (s < 2) s++;
    [fastopt] for (uint b = 0; b < 2; b++) s++;
    [allow_uav_condition] [loop] for (uint c = 0; c < 2; c++) s++;
    [branch] if (t > 3) s += 10; else s += 20;
    [flatten] if (t > 3) { s += 1; }
    [call] switch (t & 1) { case 0: s += 100; break; default: break; }
    [forcecase] switch (t & 1) { case 1: s += 200; break; }
    [branch] switch (t) { default: s += 1000; }
    EXPECT_EQ(s, 3 + t + 4 + (t > 3 ? 11 : 20) + ((t & 1) ? 200 : 100) + 1000);
}

//--- forms-of-switches
uint pick(int v) {
    switch (v) {
        case -1: return 10;
        case 0:
        case 1: { uint x = 5; return x; }
        case 1 + 1:
        default: break;
        case 7: v += 1; break;
    }
    return (uint)v + 100;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(pick((int)(t % 4) - 1), t % 4 == 0 ? 10 : t % 4 == 3 ? 102 : 5);
    EXPECT_EQ(pick(7), 108);
    uint n = 0;
    switch (t & 3) { case 0: n += 1; case 1: n += 10; break; case 2: case 3: n += 100; }
    EXPECT_EQ(n, (t & 3) == 0 ? 11 : (t & 3) == 1 ? 10 : 100);
    switch (t) {}
    for (uint i = 0; i < 4; i++) {
        switch (i) { case 1: continue; case 3: break; default: n += 1000; }
        n += 10000;
    }
    EXPECT_EQ(n / 1000, 32);
}

//--- forms-of-scopes
static uint x = 1;
uint min(uint a) { return a + 50; }
uint f(uint x) { { uint x = 3; x++; } return x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(f(t), t);
    uint x = t + 1;
    { uint x = 7; EXPECT_EQ(x, 7); }
    for (uint x = 0; x < 2; x++) {}
    EXPECT_EQ(x, t + 1);
    EXPECT_EQ(::x, 1);
    EXPECT_EQ(min(t), t + 50);
    EXPECT_EQ(min(t, 2u), t < 2 ? t : 2);
    if (t > 2) { uint y = 1; x += y; } else { uint y = 2; x += y; }
    EXPECT_EQ(x, t > 2 ? t + 2 : t + 3);
}

//--- forms-of-old-for-scopes
//# args -HV 2018
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (int i = 0; i < 3; i++) {}
    for (i = 0; i < 5; i++) {}
    EXPECT(i == 5);
}

//--- forms-of-prototypes-and-defaults
uint add(uint a, uint b = 10, uint c = 100);
float later(float x);
uint twice(uint v = 4);
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(add(t), t + 110);
    EXPECT_EQ(add(t, 1), t + 101);
    EXPECT_EQ(add(t, 1, 2), t + 3);
    EXPECT_EQ(later(2), 3.0);
    EXPECT_EQ(twice(), 8);
}
uint add(uint a, uint b, uint c) { return a + b + c; }
float later(float x) { return x + 1; }
uint twice(uint v) { return 2 * v; }

//--- forms-of-modifiers
//# args -Wno-unknown-attribute
inline uint f(const in uint a, uniform uint b) { return a + b; }
export uint g(uint a) { return a; }
static inline precise float h(precise float v) { precise float r = v * 2; return r; }
volatile static uint v = 3;
static const snorm float s = 0.5;
[[vk::constant_id(0)]] static const int spec = 5;
struct P { nointerpolation float a; centroid linear noperspective float b : TEXCOORD0; row_major float2x2 m; sample float c; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    const uint c = 1, d = c + 1;
    unorm float u = 1;
    EXPECT_EQ(f(t, c) + g(d), t + 3);
    EXPECT_EQ(h(1.5), 3.0);
    EXPECT_EQ(v + s + spec + u, 9.5);
    P p = (P)2;
    EXPECT_EQ(p.a + p.m._m01, 4.0);
}

//--- forms-of-words-that-are-reserved
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    goto end; //~ error[reserved-word]: goto
    asm { mov }; //~ error[reserved-word]: assembly
    uint new = 1; //~ error[reserved-word]: new
    try { } catch (...) { } //~ error[reserved-word]: exceptions
}

//--- forms-of-size-of
struct S { uint a; float3 b; uint64_t c; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v;
    uint a[5];
    EXPECT_EQ(sizeof(float), 4);
    EXPECT_EQ(sizeof(v), 16);
    EXPECT_EQ(sizeof(a) / sizeof(a[0]), 5);
    EXPECT_EQ(sizeof(double3), 24);
    EXPECT_EQ(sizeof(S), 24);
    EXPECT_EQ(sizeof(float4x4), 64);
    EXPECT_EQ(sizeof(S[2]), 48);
    uint b[sizeof(uint2)];
    b[7] = t;
    EXPECT_EQ(b[7], t);
    _Static_assert(sizeof(bool) == 4, "bools are words");
}

//--- forms-of-uninitialised-arrays-in-loops
//# args -Wno-uninitialized
uint used(uint t, uint i) {
    uint a[4];
    if (i == 0) a[t & 3] = 7;
    return i == 0 ? a[t & 3] : 0;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint s = 0;
    for (uint i = 0; i < 3; i++) {
        uint a[3];
        a[i] = 5;
        s += a[i];
        s += used(t, i);
    }
    EXPECT_EQ(s, 22);
}

//--- forms-of-groupshared-arguments
groupshared uint gs[WIDTH];
void bump(inout uint v) { v += 5; }
void both(out uint a, out uint b) { a = 1; b = 2; }
uint read(uint a[WIDTH], uint i) { return a[i]; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    gs[t] = t;
    bump(gs[t]);
    EXPECT_EQ(gs[t], t + 5);
    uint x;
    both(gs[t], x);
    EXPECT_EQ(gs[t] + x, 3);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(read(gs, (t + 1) % WIDTH), 1);
}
