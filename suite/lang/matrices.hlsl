// Matrices: elements, rows, products, and memory layout.

//--- matrices-by-element-and-row
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x3 m = float2x3(1, 2, 3, 4, 5, 6);
    EXPECT_EQ(m[0], float3(1, 2, 3));
    EXPECT_EQ(m[1], float3(4, 5, 6));
    EXPECT_EQ(m[1][2], 6.0);
    EXPECT_EQ(m[1].zx, float2(6, 4));
    EXPECT_EQ(m._m00, 1.0);
    EXPECT_EQ(m._m12, 6.0);
    EXPECT_EQ(m._11, 1.0);
    EXPECT_EQ(m._23, 6.0);
    EXPECT_EQ(m._m00_m11, float2(1, 5));
    EXPECT_EQ(m._11_12_13, m[0]);
    EXPECT_EQ(m[t & 1][t % 3], 3.0 * (t & 1) + t % 3 + 1);
}

//--- matrices-written-in-parts
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3x3 m = 0;
    m[0] = float3(1, 2, 3);
    m[1].yz = float2(5, 6);
    m._m20 = 7;
    m._32_33 = float2(8, 9);
    m[1][0] = 4;
    for (uint i = 0; i < 9; ++i) EXPECT_EQ(m[i / 3][i % 3], i + 1.0);
    m[t % 3] += 10;
    EXPECT_EQ(m[t % 3], float3(1, 2, 3) + 3 * (t % 3) + 10);
    m[t % 3][(t + 1) % 3] = -1;
    EXPECT_EQ(m[t % 3][(t + 1) % 3], -1.0);
    m._m00_m11_m22 *= 0;
    EXPECT_EQ(m._11 + m._22 + m._33, 0.0);
}

//--- matrices-multiply
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x3 a = float2x3(1, 2, 3, 4, 5, 6);
    float3x2 b = float3x2(1, 0, t, 1, 2, 3);
    float2x2 ab = mul(a, b);
    EXPECT_EQ(ab[0], float2(7 + 2.0 * t, 11));
    EXPECT_EQ(ab[1], float2(16 + 5.0 * t, 23));
    float3x3 ba = mul(b, a);
    EXPECT_EQ(ba[0], float3(1, 2, 3));
    EXPECT_EQ(ba[2], float3(14, 19, 24));
    EXPECT_EQ(mul(a, float3(1, 10, t)), float2(21 + 3.0 * t, 54 + 6.0 * t));
    EXPECT_EQ(mul(float2(1, t), a), float3(1 + 4.0 * t, 2 + 5.0 * t, 3 + 6.0 * t));
    EXPECT_EQ(mul(float3(1, 2, 3), float3(4, 5, t)), 14 + 3.0 * t);
    EXPECT_EQ(mul(2.0, float2(1, t)), float2(2, 2.0 * t));
    EXPECT_EQ(mul(float2(1, t), 3.0), float2(3, 3.0 * t));
    EXPECT_EQ(mul(a, 2.0)[1], float3(8, 10, 12));
    EXPECT_EQ(mul(2.0, a)[0], float3(2, 4, 6));
    EXPECT_EQ(mul(2.0, 3.0), 6.0);
    int2x2 n = int2x2(1, 2, 3, 4);
    EXPECT_EQ(mul(n, int2(t, -1)), int2((int)t - 2, 3 * (int)t - 4));
}

//--- matrices-transpose-and-determinant
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x3 m = float2x3(1, 2, 3, 4, 5, t);
    float3x2 r = transpose(m);
    EXPECT_EQ(r[0], float2(1, 4));
    EXPECT_EQ(r[2], float2(3, t));
    EXPECT_EQ(transpose(r)[1], m[1]);
    EXPECT_EQ(determinant(float2x2(1, 2, 3, t)), t - 6.0);
    EXPECT_EQ(determinant(float3x3(2, 0, 0, 0, 3, 0, 0, 0, t)), 6.0 * t);
    EXPECT_EQ(determinant(float3x3(1, 2, 3, 4, 5, 6, 7, 8, 10)), -3.0);
    EXPECT_EQ(determinant(float4x4(1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0, t, t, t, 4)), 24.0);
    EXPECT_EQ(determinant(float4x4(0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0)), 1.0);
}

//--- matrices-compute-by-element
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x2 a = { 1, 2, 3, 4 }, b = { 5, 6, 7, t };
    EXPECT_EQ((a * b)[1], float2(21, 4.0 * t));
    EXPECT_EQ((a + b)[0], float2(6, 8));
    EXPECT_EQ((a + 1)[1], float2(4, 5));
    EXPECT_EQ((-a)[0], float2(-1, -2));
    EXPECT_EQ(max(a, b)[1], float2(7, t > 4 ? t : 4));
    EXPECT_EQ(all(a == a), true);
    EXPECT_EQ(any(a == b), t == 4);
    a += b;
    EXPECT_EQ(a[1], float2(10, t + 4));
    a *= 2;
    EXPECT_EQ(a[0], float2(12, 16));
    float2x2 c = abs(-b);
    EXPECT_EQ(c[1], float2(7, t));
}

//--- matrices-cast-and-cut
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4x4 m = float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, t);
    float3x3 c = (float3x3)m;
    EXPECT_EQ(c[0], float3(1, 2, 3));
    EXPECT_EQ(c[2], float3(9, 10, 11));
    EXPECT_EQ((float)m, 1.0);
    EXPECT_EQ(((float1x4)m)[0], float4(1, 2, 3, 4));
    int2x2 i = int2x2(1.5, -1.5, 2.9, t);
    EXPECT_EQ(i[0], int2(1, -1));
    EXPECT_EQ(i[1], int2(2, t));
    float2x2 rows = float2x2(float2(1, 2), float2(3, t));
    EXPECT_EQ(rows[1], float2(3, t));
    matrix<float, 2, 2> generic = rows;
    EXPECT_EQ(generic[0], float2(1, 2));
    float2x2 spread = (float2x2)t;
    EXPECT_EQ(spread[1], float2(t, t));
    float4 v = (float4)rows;
    EXPECT_EQ(v, float4(1, 2, 3, t));
    float2x2 back = (float2x2)v;
    EXPECT_EQ(back[1], float2(3, t));
    EXPECT_EQ(rows[t & 1], (t & 1) ? float2(3, t) : float2(1, 2));
}

//--- matrices-in-constant-buffers-lie-by-columns
//# in Block u32: 1 4 0 0 2 5 0 0 3 6 0 0 11 12 13 0 14 15 16
cbuffer Block {
    uint2x3 columns;
    row_major uint2x3 rows;
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(columns[0], uint3(1, 2, 3));
    EXPECT_EQ(columns[1], uint3(4, 5, 6));
    EXPECT_EQ(rows[0], uint3(11, 12, 13));
    EXPECT_EQ(rows[1], uint3(14, 15, 16));
    EXPECT_EQ(columns[t & 1][t % 3], 3 * (t & 1) + t % 3 + 1);
    EXPECT_EQ(rows[t & 1][t % 3], 3 * (t & 1) + t % 3 + 11);
}

//--- matrices-by-rows-when-the-pragma-says-so
//# in Block u32: 11 12 13 0 14 15 16 0 1 4 0 0 2 5 0 0 3 6
#pragma pack_matrix(row_major)
cbuffer Block {
    uint2x3 rows;
    column_major uint2x3 columns;
};
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(rows[1], uint3(14, 15, 16));
    EXPECT_EQ(columns[1], uint3(4, 5, 6));
}

//--- matrices-in-structured-buffers
//# in In u32: 1 2 3 4 5 6 11 12 13 14 15 16
//# zero Out 48
//= Out u32: 1 2 3 4 5 6 11 12 13 14 15 16
struct S { uint2x3 columns; row_major uint2x3 rows; };
StructuredBuffer<S> In;
RWStructuredBuffer<S> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[0].columns[0], uint3(1, 3, 5));
    EXPECT_EQ(In[0].columns[1], uint3(2, 4, 6));
    EXPECT_EQ(In[0].rows[1], uint3(14, 15, 16));
    if (t == 0) {
        Out[0].columns = In[0].columns;
        S s = In[0];
        Out[0].rows[0] = s.rows[0];
        Out[0].rows[1] = s.rows[1];
    }
}

//--- packing-by-flag-rows
//# args -Zpr
//# in In f32: 1 2 3 4 5 6
StructuredBuffer<float2x3> In;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[0][0], float3(1, 2, 3));
    EXPECT_EQ(In[0]._m10, 4.0);
}

//--- packing-by-flag-columns
//# args -Zpc
//# in In f32: 1 2 3 4 5 6
StructuredBuffer<float2x3> In;
StructuredBuffer<row_major float2x3> Rows;
//# in Rows f32: 1 2 3 4 5 6
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[0][0], float3(1, 3, 5));
    EXPECT_EQ(In[0]._m10, 2.0);
    EXPECT_EQ(Rows[0][0], float3(1, 2, 3));
}

//--- packing-by-flag-words-and-pragmas-win
//# args -Zpr
//# in C f32: 1 2 0 0 3 4 0 0 5 6 0 0 7 8 0 0
cbuffer C { column_major float2x2 a; float2x2 b; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(a[0], float2(1, 3));
    EXPECT_EQ(b[0], float2(5, 6));
}

//--- packing-by-flag-strictness-is-accepted
//# args -Gis
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) { EXPECT_EQ(t + 0.5 - 0.5, (float)t); }
