// Vectors: constructed, swizzled, masked, indexed, compared.

//--- vectors-are-made-of-parts
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 two = uint2(t, 2);
    EXPECT_EQ(uint4(two, two), uint4(t, 2, t, 2));
    EXPECT_EQ(uint4(1, two, 4), uint4(1, t, 2, 4));
    EXPECT_EQ(uint3(two.y, two), uint3(2, t, 2));
    EXPECT_EQ((uint3)t, uint3(t, t, t));
    EXPECT_EQ((uint2)uint4(1, t, 3, 4), uint2(1, t));
    EXPECT_EQ(int3(1.9, -1.9, true), int3(1, -1, 1));
    EXPECT_EQ(float4(float2x2(1, 2, 3, 4)), float4(1, 2, 3, 4));
    vector<float, 3> v = { 1, 2, 3 };
    EXPECT_EQ(v, float3(1, 2, 3));
    uint4 list = { two, 5, 6 };
    EXPECT_EQ(list, uint4(t, 2, 5, 6));
    uint1 one = t;
    EXPECT_EQ(one.x, t);
    EXPECT_EQ(one[0], t);
    vector plain = 3;
    EXPECT_EQ(plain, float4(3, 3, 3, 3));
}

//--- vectors-read-by-swizzles
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v = uint4(t, 1, 2, 3);
    EXPECT_EQ(v.x, t);
    EXPECT_EQ(v.wzyx, uint4(3, 2, 1, t));
    EXPECT_EQ(v.xx, uint2(t, t));
    EXPECT_EQ(v.rgba, v.xyzw);
    EXPECT_EQ(v.bgr, uint3(2, 1, t));
    EXPECT_EQ(v.wzyx.yx.x, 2);
    EXPECT_EQ(t.xxxx, uint4(t, t, t, t));
    EXPECT_EQ(t.x, t);
    EXPECT_EQ(2.0.xxx, float3(2, 2, 2));
    EXPECT_EQ((t + 1).rr, uint2(t + 1, t + 1));
}

//--- vectors-written-by-masks
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v = 0;
    v.xw = uint2(1, 2);
    EXPECT_EQ(v, uint4(1, 0, 0, 2));
    v.zy = v.xw;
    EXPECT_EQ(v, uint4(1, 2, 1, 2));
    v.wzyx = uint4(t, 1, 2, 3);
    EXPECT_EQ(v, uint4(3, 2, 1, t));
    v.yz = v.zy;
    EXPECT_EQ(v, uint4(3, 1, 2, t));
    v.xyz.zx = uint2(8, 9);
    EXPECT_EQ(v, uint4(9, 1, 8, t));
    v.xyz += 1;
    EXPECT_EQ(v, uint4(10, 2, 9, t));
    v.ga <<= 2;
    EXPECT_EQ(v, uint4(10, 8, 9, t * 4));
    uint s = 5;
    s.x += 1;
    EXPECT_EQ(s, 6);
    if (t & 1) v.x = 0;
    EXPECT_EQ(v.x, (t & 1) ? 0 : 10);
}

//--- vectors-component-by-number
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 v = float3(1, 2, 3);
    uint i = t % 3;
    EXPECT_EQ(v[i], i + 1.0);
    v[i] *= 10;
    EXPECT_EQ(v[i], 10 * (i + 1.0));
    EXPECT_EQ(v[0] + v[1] + v[2], 6 + 9 * (i + 1.0));
    EXPECT_EQ(v.zyx[2 - i], v[i]);
    uint4 ballot = WaveActiveBallot(t & 1);
    EXPECT_EQ(ballot[t / 32] >> (t % 32) & 1, t & 1);
    bool4 b = false;
    b[t % 4] = true;
    EXPECT_EQ(b[t % 4], true);
    EXPECT(any(b) && !all(b));
}

//--- vectors-spread-scalars-and-cut-vectors
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 v = t;
    EXPECT_EQ(v, float3(t, t, t));
    EXPECT_EQ(v + 1, float3(t + 1, t + 1, t + 1));
    EXPECT_EQ(2 * v, v + v);
    uint scalar = (uint)uint4(t, 1, 2, 3);
    EXPECT_EQ(scalar, t);
    EXPECT_EQ((float2)v, v.xy);
    EXPECT_EQ(int2(float2(1.5, -1.5)), int2(1, -1));
}

//--- vectors-compare-by-component
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint3 a = uint3(t, 2, 3), b = uint3(2, t, 3);
    EXPECT_EQ(a < b, bool3(t < 2, 2 < t, false));
    EXPECT_EQ(a == b, bool3(t == 2, t == 2, true));
    EXPECT_EQ(a >= 3, bool3(t >= 3, false, true));
    EXPECT_EQ(!(a == b), a != b);
    EXPECT_EQ(select(a < b, a, b), min(a, b));
    EXPECT_EQ(and(a > 1, b > 1), bool3(t > 1, t > 1, true));
    EXPECT_EQ(or(a > 2, b > 2), bool3(t > 2, t > 2, true));
    EXPECT_EQ(select(t > 1, 5u, 6u), t > 1 ? 5 : 6);
    EXPECT_EQ((uint3)(a == b), uint3(t == 2, t == 2, 1));
}

//--- vectors-in-hlsl-2018-choose-by-component
//# args -HV 2018
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 a = uint2(t, 5), b = uint2(2, t);
    EXPECT(all((a < b ? a : b) == min(a, b)));
    EXPECT(all(((a > 1) && (b > 1)) == bool2(t > 1, t > 1)));
    EXPECT(all(((a > 7) || (b > 7)) == bool2(t > 7, t > 7)));
}
