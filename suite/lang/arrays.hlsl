// Arrays: of one and more dimensions, copied, passed, returned, constant.

//--- arrays-of-two-dimensions
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[3][4];
    for (uint i = 0; i < 3; ++i)
        for (uint k = 0; k < 4; ++k) a[i][k] = 10 * i + k;
    EXPECT_EQ(a[t % 3][t % 4], 10 * (t % 3) + t % 4);
    uint row[4] = a[t % 3];
    EXPECT_EQ(row[3], 10 * (t % 3) + 3);
    row[0] = 77;
    a[1] = row;
    EXPECT_EQ(a[1][0], 77);
    EXPECT_EQ(a[1][3], 10 * (t % 3) + 3);
    EXPECT_EQ(a[2][2], 22);
}

//--- arrays-take-their-length-from-the-initialiser
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[] = { 1, 2, 3, t };
    float2 b[] = { float2(1, 2), float2(3, 4) };
    EXPECT_EQ(a[3], t);
    EXPECT_EQ(b[t & 1].y, (t & 1) ? 4.0 : 2.0);
    uint c[2][2] = { 1, 2, 3, 4 };
    EXPECT_EQ(c[1][0], 3);
}

//--- arrays-in-and-out-of-functions
typedef uint Pair[2];
uint sum(const uint a[2][3]) { uint s = 0; for (uint i = 0; i < 6; ++i) s += a[i / 3][i % 3]; return s; }
void fill(out uint a[4], uint from) { for (uint i = 0; i < 4; ++i) a[i] = from + i; }
Pair swap(Pair p) { Pair q = { p[1], p[0] }; return q; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[2][3] = { { 1, 2, 3 }, { 4, 5, t } };
    EXPECT_EQ(sum(a), 15 + t);
    uint b[4];
    fill(b, t);
    EXPECT_EQ(b[0] + b[3], 2 * t + 3);
    Pair p = { t, 7 };
    p = swap(p);
    EXPECT_EQ(p[0], 7);
    EXPECT_EQ(p[1], t);
}

//--- arrays-of-vectors-structures-and-matrices
struct S { uint a; uint2 b; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v[2] = { float4(1, 2, 3, 4), float4(5, 6, 7, 8) };
    v[t & 1].yz = float2(t, t + 1);
    EXPECT_EQ(v[t & 1].wzy, float3((t & 1) ? 8 : 4, t + 1, t));
    v[0][t % 4] = 50;
    EXPECT_EQ(v[0][t % 4], 50.0);
    S s[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
    s[t & 1].b[t & 1] = 9;
    EXPECT_EQ(s[0].b, (t & 1) ? uint2(2, 3) : uint2(9, 3));
    EXPECT_EQ(s[1].b, (t & 1) ? uint2(5, 9) : uint2(5, 6));
    float2x2 m[2] = { float2x2(1, 2, 3, 4), float2x2(5, 6, 7, 8) };
    m[t & 1][1] = float2(0, t);
    EXPECT_EQ(m[t & 1]._m11, (float)t);
    EXPECT_EQ(m[t & 1]._m00, (t & 1) ? 5.0 : 1.0);
}

//--- arrays-of-constants-indexed-dynamically
static const uint Fib[10] = { 0, 1, 1, 2, 3, 5, 8, 13, 21, 34 };
static const float3 Axes[3] = { float3(1, 0, 0), { 0, 1, 0 }, 0, 0, 1 };
static const bool Odd[] = { false, true };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    const int offsets[4] = { -2, -1, 1, 2 };
    uint i = t % 8;
    EXPECT_EQ(Fib[i] + Fib[i + 1], Fib[i + 2]);
    EXPECT_EQ(Axes[t % 3][t % 3], 1.0);
    EXPECT_EQ(Axes[t % 3][(t + 1) % 3], 0.0);
    EXPECT_EQ(Odd[t % 2], (t & 1) == 1);
    EXPECT_EQ(offsets[t % 4] + offsets[3 - t % 4], 0);
}

//--- arrays-of-bool-and-64-bit
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool b[4] = { false, true, false, true };
    uint64_t w[2] = { 1ull << 40, 3 };
    b[t % 4] = !b[t % 4];
    EXPECT_EQ(b[t % 4], t % 2 == 0);
    EXPECT_EQ(b[(t + 1) % 4], t % 2 == 0);
    w[t & 1] += 1;
    EXPECT_EQ(w[0] + w[1], (1ull << 40) + 4);
}

//--- arrays-of-three-dimensions-and-named-types
typedef uint Row[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[2][3][2];
    for (uint i = 0; i < 12; ++i) a[i / 6][i / 2 % 3][i % 2] = i;
    EXPECT_EQ(a[t & 1][t % 3][1], (t & 1) * 6 + t % 3 * 2 + 1);
    // `Row r[3]` is three rows of two.
    Row r[3];
    r[2][1] = t;
    r[0][1] = 4;
    EXPECT_EQ(r[2][1] + r[0][1], t + 4);
}
