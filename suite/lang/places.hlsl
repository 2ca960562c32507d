// Nested lvalues: swizzles of swizzles, elements of matrices, indices that differ from lane to lane.

//--- places-elements-of-a-swizzle-by-a-lane-index
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint3 v = uint3(10, 20, 30);
    v.zyx[t % 3]++;
    uint3 w = uint3(10, 20, 30);
    w[2 - t % 3] += 1;
    EXPECT_EQ(v, w);
    v.xz[t & 1] = 7;
    EXPECT_EQ(v.x, (t & 1) == 0 ? 7 : w.x);
    EXPECT_EQ(v.z, (t & 1) == 1 ? 7 : w.z);
    EXPECT_EQ(v.y, w.y);
    EXPECT_EQ(v.zyx[t % 3], v[2 - t % 3]);
}

//--- places-swizzles-of-swizzles
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v = uint4(1, 2, 3, 4);
    v.wzyx.xy = uint2(8, t);
    EXPECT_EQ(v, uint4(1, 2, t, 8));
    v.yzw.zx = v.xx;
    EXPECT_EQ(v, uint4(1, 1, t, 1));
    v.xyz.xz += 1;
    EXPECT_EQ(v, uint4(2, 1, t + 1, 1));
    EXPECT_EQ(v.wzyx.yx.x, t + 1);
    float f = 3;
    f.x = 4;
    EXPECT_EQ(f.xxx, float3(4, 4, 4));
    EXPECT_EQ(f.rrrr.ga, float2(4, 4));
}

//--- places-rows-and-elements-of-matrices
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3x4 m = (float3x4)0;
    m[1].xy = float2(5, t);
    m._m20_m23 = float2(1, 2);
    m._11_22 = float2(9, t + 1);
    EXPECT_EQ(m[0], float4(9, 0, 0, 0));
    EXPECT_EQ(m[1], float4(5, t + 1, 0, 0));
    EXPECT_EQ(m[2], float4(1, 0, 0, 2));
    m[2].wzyx = m[1];
    EXPECT_EQ(m[2], float4(0, 0, t + 1, 5));
    m._m00 += 1;
    EXPECT_EQ(m._11, 10.0);
    m[1][2] = 4;
    EXPECT_EQ(m._m12, 4.0);
    EXPECT_EQ(m._m12_m11.yx, float2(t + 1, 4));
}

//--- places-elements-of-matrices-by-lane-indices
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4x3 m = (float4x3)0;
    uint i = t & 3, j = t % 3;
    m[i][j] = t + 1;
    m[i].zyx[2 - j] += 1;
    m[(i + 1) & 3] = float3(7, 8, 9);
    m[(i + 2) & 3].yz = float2(1, t);
    float total = 0;
    for (uint r = 0; r < 4; r++) {
        for (uint c = 0; c < 3; c++) total += m[r][c];
    }
    EXPECT_EQ(total, t + 2.0 + 24 + 1 + t);
    EXPECT_EQ(m[i][j], t + 2.0);
    EXPECT_EQ(m[(i + 1) & 3][j], 7.0 + j);
    EXPECT_EQ(m[(i + 2) & 3], float3(0, 1, t));
    m._m00_m11_m22[j] = 50;
    EXPECT_EQ(m[j][j], 50.0);
}

//--- places-matrices-in-buffers-and-groupshared-memory
//# zero Out 256
RWStructuredBuffer<float4x4> Out;
groupshared float2x2 shared_m[4];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 4) {
        Out[t][t].wy = float2(t + 1, 5);
        Out[t]._m00_m33[t & 1] = 9;
        EXPECT_EQ(Out[t][t].w, t == 3 ? 9.0 : t + 1.0);
        EXPECT_EQ(Out[t][t].y, 5.0);
        shared_m[t] = float2x2(1, 2, 3, 4);
        shared_m[t][t & 1].yx[t >> 1] = 8;
        EXPECT_EQ(shared_m[t][t & 1][1 - (t >> 1)], 8.0);
        EXPECT_EQ(shared_m[t][1 - (t & 1)][0], (t & 1) ? 1.0 : 3.0);
    }
}

//--- places-in-structs-in-arrays
struct In { float3 v[2]; float2x2 m; };
struct Out { In a[3]; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out o = (Out)0;
    o.a[t % 3].v[t & 1].zx[t & 1] = t + 1;
    o.a[t % 3].m[t & 1].y = 3;
    EXPECT_EQ(o.a[t % 3].v[t & 1][(t & 1) ? 0 : 2], t + 1.0);
    EXPECT_EQ(o.a[t % 3].m[t & 1][1], 3.0);
    EXPECT_EQ(o.a[(t + 1) % 3].v[t & 1], float3(0, 0, 0));
}

//--- places-out-arguments-of-all-kinds
void two(out uint a, out uint b) { a = 3; b = 4; }
void bump(inout uint2 v) { v += uint2(1, 2); }
void as_float(out float f) { f = 2.5; }
void half_of(inout float f) { f /= 2; }
groupshared uint gs[WIDTH];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v = uint4(0, 0, 0, 0);
    two(v.w, v[t % 3]);
    EXPECT_EQ(v.w, 3);
    EXPECT_EQ(v[t % 3], 4);
    bump(v.wx);
    EXPECT_EQ(v.w, 4);
    EXPECT_EQ(v.x, (t % 3 == 0 ? 4 : 0) + 2);
    int i;
    as_float(i);
    EXPECT_EQ(i, 2);
    i = 7;
    half_of(i);
    EXPECT_EQ(i, 3);
    two(gs[t], v.x);
    EXPECT_EQ(gs[t], 3);
    float2x2 m = float2x2(1, 2, 3, 4);
    half_of(m[t & 1][1]);
    EXPECT_EQ(m[t & 1][1], (t & 1) ? 2.0 : 1.0);
}

//--- places-inout-arguments-are-copies
void twice(inout uint a, inout uint b) { a += 1; b += 10; a += 100; }
static uint g;
void through(inout uint a) { a = 5; g = 7; a += g; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    twice(x, x);
    EXPECT_EQ(x, t + 10);
    g = 1;
    through(g);
    EXPECT_EQ(g, 12);
}

//--- places-assignments-are-places
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a, b, c;
    a = b = c = t;
    EXPECT_EQ(a + b + c, 3 * t);
    (a += 2) += 3;
    EXPECT_EQ(a, t + 5);
    ++(b = 9);
    EXPECT_EQ(b, 10);
    (++c)++;
    EXPECT_EQ(c, t + 2);
    uint2 v;
    (v = uint2(1, 2)).x = 5;
    EXPECT_EQ(v, uint2(5, 2));
    bool flag = (a = 0, b > 5);
    EXPECT(flag && a == 0);
}
