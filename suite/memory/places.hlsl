// Lvalues: assigned, passed and decomposed: members, components, rows, elements, bits, and resources in variables.

//--- parts-of-a-structured-element
struct Inner { uint3 v; float2x2 m; };
struct Outer { uint id; Inner inner[2]; bool flag; };
//# zero data 16384
RWStructuredBuffer<Outer> data;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    data[t].id = t;
    data[t].inner[t & 1].v.zx = uint2(t + 1, t + 2);
    data[t].inner[1].v[t % 3] += 100;
    data[t].inner[0].m[t & 1] = float2(t, t + 0.5);
    data[t].inner[0].m._m10 = 7;
    data[t].flag = (t & 1) != 0;
    Outer o = data[t];
    EXPECT_EQ(o.id, t);
    uint3 expected = uint3(t + 2, 0, t + 1);
    uint3 one = (t & 1) ? expected : uint3(0, 0, 0);
    one[t % 3] += 100;
    EXPECT_EQ(o.inner[1].v, one);
    EXPECT_EQ(o.inner[0].v, (t & 1) ? uint3(0, 0, 0) : expected);
    EXPECT_EQ(o.inner[0].m[1], (t & 1) ? float2(7, t + 0.5) : float2(7, 0));
    EXPECT_EQ(o.inner[0].m[0], (t & 1) ? float2(0, 0) : float2(t, t + 0.5));
    EXPECT_EQ(o.flag, (t & 1) != 0);
}

//--- arguments-may-be-parts-of-anything
//# zero data 1024
RWStructuredBuffer<uint2> data;
groupshared uint2 cells[WIDTH];
struct S { uint a[3]; uint2 v; };
void bump(inout uint x, out uint old) { old = x; if (x & 1) { x += 10; return; } x += 20; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S s;
    s.a[0] = t; s.a[1] = 0; s.a[2] = 5;
    s.v = uint2(t, t + 1);
    cells[t] = uint2(0, 0);
    uint step = (t & 1) ? 10 : 20;
    bump(s.a[0], s.a[1]);
    EXPECT_EQ(s.a[0], t + step);
    EXPECT_EQ(s.a[1], t);
    bump(s.v.x, s.v.y);
    EXPECT_EQ(s.v, uint2(t + step, t));
    data[t] = uint2(t, 0);
    bump(data[t].x, cells[t].y);
    EXPECT_EQ(data[t], uint2(t + step, 0));
    EXPECT_EQ(cells[t], uint2(0, t));
    // The lvalue is evaluated once, before the call.
    uint i = 0;
    bump(s.a[i++], s.a[i]);
    EXPECT_EQ(i, 1);
}

//--- an-out-argument-of-another-type-converts-both-ways
void halve(inout float x) { x *= 0.5; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = t * 2 + 1;
    halve(n);
    EXPECT_EQ(n, t);
}

//--- arrays-are-passed-by-value
uint sum(uint a[4]) { uint s = 0; for (uint i = 0; i < 4; ++i) { s += a[i]; a[i] = 0; } return s; }
void reverse(inout uint a[4]) { for (uint i = 0; i < 2; ++i) { uint x = a[i]; a[i] = a[3 - i]; a[3 - i] = x; } }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[4] = { t, 1, 2, 3 };
    EXPECT_EQ(sum(a), t + 6);
    EXPECT_EQ(sum(a), t + 6);
    reverse(a);
    EXPECT_EQ(a[3], t);
    EXPECT_EQ(a[0], 3);
    uint b[4] = a;
    a[1] = 50;
    EXPECT_EQ(b[1], 2);
}

//--- assignments-have-values-and-places
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a, b, c;
    a = b = c = t;
    EXPECT_EQ(a + b + c, 3 * t);
    EXPECT_EQ((a += 2), t + 2);
    EXPECT_EQ(a++ + ++b, 2 * t + 3);
    EXPECT_EQ(a, t + 3);
    uint4 v = uint4(1, 2, 3, 4);
    v.wy += uint2(10, 20);
    v.xz++;
    EXPECT_EQ(v, uint4(2, 22, 4, 14));
    v.xyz = v.zxy;
    EXPECT_EQ(v, uint4(4, 2, 22, 14));
    float3x2 m = 0;
    m[1] = float2(1, 2);
    m._31_12 = float2(5, 6);
    EXPECT_EQ(m[0], float2(0, 6));
    EXPECT_EQ(m[1], float2(1, 2));
    EXPECT_EQ(m[2], float2(5, 0));
}

//--- matrices-lie-by-rows-or-columns
struct C { row_major float2x3 r; column_major float2x3 c; };
//# in data u32: 0 1 2 3 4 5 6 7 8 9 10 11
ByteAddressBuffer data;
struct U { row_major uint2x3 r; column_major uint2x3 c; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    U u = data.Load<U>(0);
    EXPECT_EQ(u.r[1], uint3(3, 4, 5));
    EXPECT_EQ(u.c[1], uint3(7, 9, 11));
    EXPECT_EQ(u.c[t & 1][t % 3], 6 + (t & 1) + 2 * (t % 3));
}

//--- bit-fields-share-their-storage
struct Packed { uint low : 5; int middle : 7; uint high : 20; uint next : 4; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Packed p;
    p.low = t;
    p.middle = -3;
    p.high = 0xabcde;
    p.next = 15;
    p.next += 3;
    EXPECT_EQ(p.low, t % 32);
    EXPECT_EQ(p.middle, -3);
    EXPECT_EQ(p.high, 0xabcde);
    EXPECT_EQ(p.next, 2);
}

//--- resources-go-through-variables-and-parameters
//# in A u32: 1 2 3 4
//# zero B 16
ByteAddressBuffer A;
RWByteAddressBuffer B;
struct Pair { ByteAddressBuffer from; RWByteAddressBuffer to; uint at; };
void copy(Pair p) { p.to.Store(p.at * 4, p.from.Load(p.at * 4) + 10); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Pair p;
    p.from = A;
    p.to = B;
    p.at = t;
    if (t < 4) {
        copy(p);
        RWByteAddressBuffer again = p.to;
        EXPECT_EQ(again.Load(t * 4), t + 11);
    }
}

//--- tables-that-never-change
static const uint primes[5] = { 2, 3, 5, 7, 11 };
static const uint2 pairs[2][2] = { { uint2(1, 2), uint2(3, 4) }, { uint2(5, 6), uint2(7, 8) } };
static uint calls = 3;
uint next() { return ++calls; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(primes[t % 5] * 2, (t % 5 == 0) ? 4 : (t % 5 == 1) ? 6 : (t % 5 == 2) ? 10 : (t % 5 == 3) ? 14 : 22);
    EXPECT_EQ(pairs[t & 1][1].y, (t & 1) ? 8 : 4);
    EXPECT_EQ(pairs[1][t & 1].x, (t & 1) ? 7 : 5);
    for (uint i = 0; i < t % 3; ++i) next();
    EXPECT_EQ(calls, 3 + t % 3);
    EXPECT_EQ(next(), 4 + t % 3);
}

//--- large-variables-live-in-memory
struct Big { float4x4 m[3]; uint tag; };
Big make(uint t) { Big b; for (uint i = 0; i < 3; ++i) b.m[i] = (float)(t + i); b.tag = t; return b; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Big b = make(t);
    Big c = b;
    c.m[1][2][3] = 99;
    EXPECT_EQ(b.m[1][2][3], t + 1.0);
    EXPECT_EQ(c.m[1][2][3], 99.0);
    EXPECT_EQ(c.m[2]._m00, t + 2.0);
    EXPECT_EQ(c.tag, t);
    EXPECT_EQ(make(t + 5).m[t % 3][0][0], (float)(t + 5 + t % 3));
}

//--- appending-and-consuming
//# zero items 1024
RWStructuredBuffer<uint2> items;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint at = items.IncrementCounter();
    items[at] = uint2(t, t * t);
    EXPECT_EQ(items[at].y, t * t);
    EXPECT_EQ(at, t);
    EXPECT_EQ(items.DecrementCounter(), WIDTH - 1 - t);
}
