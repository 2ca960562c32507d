// Bits: counting, finding and reversing them, and reinterpretation as another type.

//--- countbits-of-every-width-gives-a-uint
//# args -enable-16bit-types
//# in U u64: 0 0xffffffffffffffff 0x8000000100010001
StructuredBuffer<uint64_t> U;
int kind(uint x) { return 1; }
int kind(uint64_t x) { return 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(countbits(U[0]), 0);
    EXPECT_EQ(countbits(U[1]), 64);
    EXPECT_EQ(countbits(U[2]), 4);
    EXPECT_EQ(kind(countbits(U[1])), 1);
    EXPECT_EQ(countbits((uint)U[1]), 32);
    EXPECT_EQ(countbits((int)U[2]), 2);
    EXPECT_EQ(countbits((uint16_t)U[1]), 16);
    EXPECT_EQ(countbits((int16_t)U[2]), 1);
    EXPECT_EQ(countbits(uint3(1, 3, 7)), uint3(1, 2, 3));
    EXPECT_EQ(countbits(-1), 32);
}

//--- reversebits-of-every-width
//# args -enable-16bit-types
//# in U u64: 1 0x0000000000000002
StructuredBuffer<uint64_t> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(reversebits(U[0]), 1ull << 63);
    EXPECT_EQ(reversebits((uint)U[1]), 0x40000000);
    EXPECT_EQ(reversebits((int)U[0]), (int)0x80000000);
    EXPECT_EQ(reversebits((uint16_t)U[0]), (uint16_t)0x8000);
    EXPECT_EQ(reversebits((int16_t)U[0]), (int16_t)-32768);
    EXPECT_EQ(reversebits(uint2(1, 0x12345678)), uint2(0x80000000, 0x1e6a2c48));
}

//--- firstbitlow-of-every-width
//# args -enable-16bit-types
//# in U u64: 0 0x8000000000000000 0x00010100
StructuredBuffer<uint64_t> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(firstbitlow(U[0]), 0xffffffff);
    EXPECT_EQ(firstbitlow(U[1]), 63);
    EXPECT_EQ(firstbitlow((uint)U[2]), 8);
    EXPECT_EQ(firstbitlow((int)U[0]), 0xffffffff);
    EXPECT_EQ(firstbitlow((uint16_t)U[2]), 8);
    EXPECT_EQ(firstbitlow((uint16_t)U[0]), 0xffffffff);
    EXPECT_EQ(firstbitlow(int2(-2, 12)), uint2(1, 2));
}

//--- firstbithigh-of-negative-numbers-looks-for-a-zero
//# args -enable-16bit-types
//# in I i64: 0 -1 -2 5 -9223372036854775808 65535
StructuredBuffer<int64_t> I;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(firstbithigh(I[0]), 0xffffffff);
    EXPECT_EQ(firstbithigh(I[1]), 0xffffffff);
    EXPECT_EQ(firstbithigh(I[2]), 0);
    EXPECT_EQ(firstbithigh(I[3]), 2);
    EXPECT_EQ(firstbithigh(I[4]), 62);
    EXPECT_EQ(firstbithigh((uint64_t)I[1]), 63);
    EXPECT_EQ(firstbithigh((int)I[1]), 0xffffffff);
    EXPECT_EQ(firstbithigh((int)I[2]), 0);
    EXPECT_EQ(firstbithigh((uint)I[2]), 31);
    EXPECT_EQ(firstbithigh((int16_t)I[2]), 0);
    EXPECT_EQ(firstbithigh((uint16_t)I[2]), 15);
    EXPECT_EQ(firstbithigh((int16_t)I[5]), 0xffffffff);
    EXPECT_EQ(firstbithigh(int3(0, -1, 256)), uint3(0xffffffff, 0xffffffff, 8));
    EXPECT_EQ(firstbithigh(uint4(0, 1, 0x80000000, 0x00ffffff)), uint4(0xffffffff, 0, 31, 23));
}

//--- asfloat-asint-and-asuint-keep-the-bits
//# in U u32: 0x7fc01234 0x80000000 0x3f800000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(asuint(asfloat(U[0])), 0x7fc01234);
    EXPECT_EQ(asint(asfloat(U[1])), (int)0x80000000);
    EXPECT_EQ(asfloat(U[2]), 1.0);
    EXPECT_EQ(asfloat((int)U[2]), 1.0);
    EXPECT_EQ(asfloat(2.5), 2.5);
    EXPECT_EQ(asint(asuint(-1)), -1);
    EXPECT_EQ(asuint(-1.0), 0xbf800000);
    EXPECT_EQ(asint(-2.0), (int)0xc0000000);
    EXPECT_EQ(asuint(float3(1, 2, 0)), uint3(0x3f800000, 0x40000000, 0));
    EXPECT_EQ(asfloat(int2(0x3f800000, 0x40000000)), float2(1, 2));
    EXPECT_EQ(asuint(float2x2(1, 2, 0, -1))[1], uint2(0, 0xbf800000));
    EXPECT_EQ(asint(uint4(t, 1, 2, 0xffffffff)), int4(t, 1, 2, -1));
}

//--- asfloat16-asint16-and-asuint16-keep-the-bits
//# args -enable-16bit-types
//# in U u16: 0x7e01 0xc000
StructuredBuffer<uint16_t> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(asuint16(asfloat16(U[0])), (uint16_t)0x7e01);
    EXPECT_EQ(asfloat16(U[1]), (half)-2);
    EXPECT_EQ(asfloat16((int16_t)U[1]), (half)-2);
    EXPECT_EQ(asint16((half)-2), (int16_t)0xc000);
    EXPECT_EQ(asint16((uint16_t)0xffff), (int16_t)-1);
    uint16_t3 v = asuint16(half3(1, -2, 0));
    EXPECT_EQ((uint3)v, uint3(0x3c00, 0xc000, 0));
    EXPECT_EQ((float2)asfloat16(uint16_t2(0x3c00, 0xc000)), float2(1, -2));
    EXPECT_EQ(asuint16(1), (uint16_t)1);
    EXPECT_EQ(asint16(-1), (int16_t)-1);
    EXPECT_EQ(asuint16(1.0), (uint16_t)0x3c00);
    EXPECT_EQ(asfloat16(0x3c00), (half)1);
}

//--- asdouble-and-asuint-with-three-arguments-split-doubles
//# in D u64: 0x400921fb54442d18 0x7ff0000000000001 0x8000000000000000
StructuredBuffer<double> D;
[numthreads(WIDTH, 1, 1)]
void main() {
    uint low, high;
    asuint(D[0], low, high);
    EXPECT_EQ(uint2(low, high), uint2(0x54442d18, 0x400921fb));
    EXPECT_EQ(asdouble(low, high), D[0]);
    asuint(D[1], low, high);
    EXPECT_EQ(uint2(low, high), uint2(1, 0x7ff00000));
    uint2 lows, highs;
    asuint(double2(D[2], 1), lows, highs);
    EXPECT_EQ(lows, uint2(0, 0));
    EXPECT_EQ(highs, uint2(0x80000000, 0x3ff00000));
    double2 both = asdouble(lows, highs);
    EXPECT_EQ(both.y, 1.0l);
    asuint(asdouble(lows.x, highs.x), low, high);
    EXPECT_EQ(high, 0x80000000);
}

//--- f32tof16-rounds-to-the-nearest-even
//# in F f32: 1 1.00048828125 1.00146484375 1.0004884 65504 65519.996 65520 -65520 1e10 5.9604645e-8 2.9802322e-8 2.9802326e-8 6.1035156e-5 -0 inf nan
//# in H u32: 0x3c00 0x3c00 0x3c02 0x3c01 0x7bff 0x7bff 0x7c00 0xfc00 0x7c00 1 0 1 0x0400 0x8000 0x7c00 0x7e00
StructuredBuffer<float> F;
StructuredBuffer<uint> H;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < 16; i++) {
        EXPECT_EQ(f32tof16(F[i]), H[i]);
        EXPECT_EQ(f32tof16(float3(F[i], 1, -2)), uint3(H[i], 0x3c00, 0xc000));
    }
    EXPECT_EQ(f32tof16(2), 0x4000);
}

//--- f16tof32-is-exact-and-reads-the-low-half
//# in H u32: 0x3c00 0xdead0001 0x7c00 0xfc00 0x7c01 0x8000 0x7bff 0x03ff
//# in F f32: 1 5.9604645e-8 inf -inf nan -0 65504 6.0975552e-5
StructuredBuffer<uint> H;
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    for (uint i = 0; i < 8; i++) {
        EXPECT_EQ(asuint(f16tof32(H[i])), asuint(F[i]));
        EXPECT_EQ(asuint(f16tof32(uint2(H[i], 0x4000))), asuint(float2(F[i], 2)));
    }
}
