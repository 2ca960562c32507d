// Products, transposes and determinants of matrices.

//--- mul-of-numbers-and-vectors
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(mul(3, 4), 12);
    EXPECT_EQ(mul(2.0, float3(1, 2, t)), float3(2, 4, 2.0 * t));
    EXPECT_EQ(mul(float3(1, 2, t), 2), float3(2, 4, 2.0 * t));
    EXPECT_EQ(mul(float3(1, 2, 3), float3(4, 5, 6)), 32.0);
    EXPECT_EQ(mul(uint2(t, 1), uint2(2, 3)), 2 * t + 3);
    EXPECT_EQ(mul(2, float2x2(1, 2, 3, 4))[1], float2(6, 8));
    EXPECT_EQ(mul(float2x2(1, 2, 3, 4), 2)[1], float2(6, 8));
    EXPECT_EQ(mul((int64_t)t, 1ll << 40), (int64_t)t << 40);
    EXPECT_EQ((float)mul(half2(1, 2), half2(3, 4)), 11.0);
    EXPECT_EQ(mul(double2(1, 2), 0.5l).y, 1.0l);
}

//--- mul-takes-a-vector-as-a-row-on-the-left-and-a-column-on-the-right
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x3 m = float2x3(1, 2, 3, 4, 5, 6);
    EXPECT_EQ(mul(float2(1, 10), m), float3(41, 52, 63));
    EXPECT_EQ(mul(m, float3(1, 10, 100)), float2(321, 654));
    row_major float2x3 r = m;
    EXPECT_EQ(mul(float2(1, 10), r), float3(41, 52, 63));
    EXPECT_EQ(mul(r, float3(1, 10, 100)), float2(321, 654));
    int3x2 i = int3x2(1, 2, 3, 4, 5, (int)t);
    EXPECT_EQ(mul(int3(1, -1, 1), i), int2(3, (int)t - 2));
    EXPECT_EQ(mul(i, int2(1, -1)), int3(-1, -1, 5 - (int)t));
    half2x2 h = half2x2(1, 2, 3, 4);
    EXPECT_EQ((float2)mul(h, half2(1, 1)), float2(3, 7));
    EXPECT_EQ((float2)mul(half2(1, 1), h), float2(4, 6));
}

//--- mul-of-matrices-of-all-shapes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x3 a = float2x3(1, 2, 3, 4, 5, 6);
    float3x2 b = float3x2(1, 0, 0, 1, 1, t);
    float2x2 p = mul(a, b);
    EXPECT_EQ(p[0], float2(4, 2 + 3.0 * t));
    EXPECT_EQ(p[1], float2(10, 5 + 6.0 * t));
    float3x3 q = mul(b, a);
    EXPECT_EQ(q[0], float3(1, 2, 3));
    EXPECT_EQ(q[2], float3(1 + 4.0 * t, 2 + 5.0 * t, 3 + 6.0 * t));
    float4x1 column = float4x1(1, 2, 3, 4);
    float1x4 row = float1x4(1, 10, 100, 1000);
    EXPECT_EQ(mul(row, column)._11, 4321.0);
    EXPECT_EQ(mul(column, row)[3], float4(4, 40, 400, 4000));
    float4x4 one = float4x4(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
    EXPECT_EQ(mul(one, float4(1, 2, 3, t)), float4(1, 2, 3, t));
    EXPECT_EQ(mul(one, mul(one, 2.0))[2], float4(0, 0, 2, 0));
    uint2x2 u = mul(uint2x2(0x80000000, 1, t, 2), uint2x2(2, 0, 1, 1));
    EXPECT_EQ(u[0], uint2(1, 1));
    EXPECT_EQ(u[1], uint2(2 * t + 2, 2));
}

//--- transpose-exchanges-rows-and-columns
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3x2 m = transpose(float2x3(1, 2, 3, 4, 5, t));
    EXPECT_EQ(m[0], float2(1, 4));
    EXPECT_EQ(m[2], float2(3, t));
    EXPECT_EQ(transpose(int1x3(1, 2, 3))._21, 2);
    bool2x2 b = transpose(bool2x2(true, false, true, false));
    EXPECT_EQ(b[0], bool2(true, true));
    EXPECT_EQ(transpose(transpose(float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))[2], float4(9, 10, 11, 12));
    EXPECT_EQ((float)transpose(half2x2(1, 2, 3, 4))._12, 3.0);
}

//--- determinant-of-every-square
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(determinant(float1x1(t)), (float)t);
    EXPECT_EQ(determinant(float2x2(1, 2, 3, t)), t - 6.0);
    EXPECT_EQ(determinant(float3x3(2, 0, 1, 1, 3, 2, 1, 1, 4)), 18.0);
    EXPECT_EQ(determinant(float4x4(1, 2, 3, 4, 5, 6, 7, 8, 2, 6, 4, 8, 3, 1, 1, 2)), 72.0);
    EXPECT_EQ(determinant(float3x3(1, 2, 3, 4, 5, 6, 7, 8, 9)), 0.0);
    EXPECT_EQ((float)determinant(half2x2(1, 2, 3, 4)), -2.0);
    EXPECT_EQ(determinant(int2x2(1, 2, 3, 4)), -2.0);
}
