// Literals and casts.

//--- literals-of-integers
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(0x1F, 31);
    EXPECT_EQ(0XffU, 255u);
    EXPECT_EQ(017, 15);
    EXPECT_EQ(0b1011, 11);
    EXPECT_EQ(4294967295u, 0xffffffff);
    EXPECT_EQ(-2147483648, (int)0x80000000);
    EXPECT_EQ(10000000000ull >> 32, 2ull);
    EXPECT_EQ(0xffffffffffffffffull, ~0ull);
    EXPECT_EQ(5l, 5);
    EXPECT_EQ(7UL, 7u);
    EXPECT_EQ(-1ll, (int64_t)-1);
    EXPECT_EQ(true + true, 2);
    EXPECT_EQ(sizeof(1ll), 8);
    EXPECT_EQ('A', 65);
}

//--- literals-of-floats
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(asuint(1.0f), 0x3f800000);
    EXPECT_EQ(asuint(.5F), 0x3f000000);
    EXPECT_EQ(asuint(1.), 0x3f800000);
    EXPECT_EQ(asuint(1e3), 0x447a0000);
    EXPECT_EQ(asuint(25e-2), 0x3e800000);
    EXPECT_EQ(asuint(0.1), 0x3dcccccd);
    EXPECT_EQ(asuint(16777217.0), 0x4b800000);
    EXPECT_EQ(asuint(3.4028235e38), 0x7f7fffff);
    EXPECT_EQ(asuint(1e-45), 1);
    EXPECT_EQ(asuint16(0.1h), (uint16_t)0x2e66);
    EXPECT_EQ(0.1l, asdouble(0x9999999au, 0x3fb99999u));
    EXPECT_EQ(asuint(1.#INF), 0x7f800000);
    EXPECT_EQ(asuint(-0.0), 0x80000000);
    EXPECT_EQ(0.1 + 0.2 == 0.3f, true);
}

//--- casts-between-scalars
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ((int)-1.9, -1);
    EXPECT_EQ((uint)(int)-1, 0xffffffff);
    EXPECT_EQ((float)0xffffffffu, 4294967296.0);
    EXPECT_EQ((float)(int)0xffffffffu, -1.0);
    EXPECT_EQ((uint)(t > 1), t > 1 ? 1 : 0);
    EXPECT_EQ((float)true, 1.0);
    EXPECT_EQ(float(t), (float)t);
    EXPECT_EQ(int(2.5), 2);
    EXPECT_EQ(uint(true), 1);
    EXPECT_EQ((uint64_t)(int)-1, 0xffffffffffffffffull);
    EXPECT_EQ((uint64_t)0xffffffffu, 0xffffffffull);
    EXPECT_EQ((uint)0x123456789ull, 0x23456789);
    EXPECT_EQ((float)16777217u, 16777216.0);
    EXPECT_EQ((double)16777217u, 16777217.0l);
}

//--- casts-that-cut
//# args -Wno-narrow-lane-mask
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ((uint)WaveActiveBallot(t == 0), 1);
    EXPECT_EQ((uint2)uint4(t, 2, 3, 4), uint2(t, 2));
    EXPECT_EQ(uint(uint3(t, 1, 2)), t);
    EXPECT_EQ((bool)uint2(t, 7), t != 0);
    EXPECT_EQ((float3)int4(-1, 2, t, 4), float3(-1, 2, t));
}

//--- casts-reinterpret
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(asfloat(0x40490fdbu) > 3.14159, true);
    EXPECT_EQ(asuint(asfloat(t)), t);
    EXPECT_EQ(asint(0xfffffffeu), -2);
    EXPECT_EQ(asuint(float2(1, 2)), uint2(0x3f800000, 0x40000000));
    EXPECT_EQ(asint(float3(0, -0.0, 1)), int3(0, 0x80000000, 0x3f800000));
    EXPECT_EQ(asdouble(t, 0x3ff00000u), asdouble(0u, 0x3ff00000u) + t * asdouble(0u, 0x3cb00000u));
    uint low, high;
    asuint(2.0l, low, high);
    EXPECT_EQ(uint2(low, high), uint2(0, 0x40000000));
}

//--- hexadecimal-floats
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(0x1.0p-24f, 1.0f / 16777216);
    EXPECT_EQ(0x1.8p1 + t, 3.0f + t);
    EXPECT_EQ(0XAp+2f, 40.0f);
    EXPECT_EQ(asuint(0x.8P0f), 0x3f000000);
    EXPECT_EQ(0xE-1, 13);
}
