// Corner cases of arithmetic in which hosts and vendors differ; here each has one value.
// Operands come from a buffer, so that they are not constant-folded.

//--- integer-division-by-zero-gives-all-ones
//# finds division-by-zero
//# in I i32: 0 7 -7 -2147483648 -1
StructuredBuffer<int> I;
[numthreads(WIDTH, 1, 1)]
void main() {
    int zero = I[0], seven = I[1], minus = I[2], lowest = I[3], one = I[4];
    EXPECT_EQ((uint)seven / (uint)zero, 0xffffffff);
    EXPECT_EQ((uint)seven % (uint)zero, 0xffffffff);
    EXPECT_EQ(seven / zero, -1);
    EXPECT_EQ(minus % zero, -1);
    EXPECT_EQ(lowest / one, lowest);
    EXPECT_EQ(lowest % one, 0);
    EXPECT_EQ(minus / 2, -3);
    EXPECT_EQ(minus % 2, -1);
}

//--- unsigned-division-by-a-power-of-two-that-the-program-states
//# args -enable-16bit-types
//# in U u32: 0xffffffff 4097 0x80000001 64
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(U[0] / 8, 0x1fffffff);
    EXPECT_EQ(U[0] % 8, 7);
    EXPECT_EQ(U[0] / 0x80000000, 1);
    EXPECT_EQ(U[2] % 0x80000000, 1);
    EXPECT_EQ(U[1] / 1, 4097);
    EXPECT_EQ(U[1] % 1, 0);
    EXPECT_EQ(U[3] / WaveGetLaneCount() * WaveGetLaneCount() + U[3] % WaveGetLaneCount(), 64);
    uint high = U[0] - lane;
    EXPECT_EQ(high / 16, 0x0fffffff - lane / 16);
    EXPECT_EQ(high % 16, 15 - lane % 16);
    EXPECT_EQ(high / 3 * 3 + high % 3, high);
    uint64_t wide = ((uint64_t)high << 32) | lane;
    EXPECT_EQ(wide / 0x100000000ull, (uint64_t)high);
    EXPECT_EQ(wide % 0x100000000ull, (uint64_t)lane);
    uint16_t small = (uint16_t)high;
    EXPECT_EQ(small / (uint16_t)16, (uint16_t)(0x0fff - lane / 16));
    EXPECT_EQ((int)high / 16, -(int)((lane + 1) / 16));
    EXPECT_EQ((int)high % 16, -(int)((lane + 1) % 16));
}

//--- division-by-zero-of-64-and-16-bit-integers
//# finds division-by-zero
//# args -enable-16bit-types
//# in I i32: 0 7
StructuredBuffer<int> I;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ((uint64_t)I[1] / (uint64_t)I[0], 0xffffffffffffffffull);
    EXPECT_EQ((int64_t)I[1] % (int64_t)I[0], (int64_t)-1);
    EXPECT_EQ((uint16_t)I[1] / (uint16_t)I[0], (uint16_t)0xffff);
    EXPECT_EQ((int16_t)I[1] / (int16_t)I[0], (int16_t)-1);
}

//--- shift-counts-are-taken-modulo-the-width
//# finds shift-out-of-range
//# args -enable-16bit-types
//# in U u32: 33 1 0x80000000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    uint count = U[0], one = U[1], high = U[2];
    EXPECT_EQ(one << count, 2);
    EXPECT_EQ(high >> count, 0x40000000);
    EXPECT_EQ((int)high >> count, (int)0xc0000000);
    EXPECT_EQ((uint64_t)one << count, 1ull << 33);
    EXPECT_EQ((uint16_t)one << (uint16_t)count, (uint16_t)2);
}

//--- floats-become-integers-toward-zero-and-saturate
//# finds conversion-out-of-range
//# in F f32: 2.9 -2.9 5e9 -5e9
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ((int)F[0], 2);
    EXPECT_EQ((int)F[1], -2);
    EXPECT_EQ((int)F[2], 2147483647);
    EXPECT_EQ((int)F[3], (int)0x80000000);
    EXPECT_EQ((uint)F[2], 0xffffffff);
    EXPECT_EQ((uint)F[1], 0);
    EXPECT_EQ((int)(F[0] * asfloat(0x7fc00000)), 0);
    EXPECT_EQ((int64_t)F[2], (int64_t)5000000000ll);
}

//--- a-made-nan-is-the-canonical-one-and-moves-keep-bits
//# in U u32: 0x7fc01234 0 0x7f800000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float strange = asfloat(U[0]), zero = asfloat(U[1]), inf = asfloat(U[2]);
    EXPECT_EQ(asuint(strange), 0x7fc01234);
    EXPECT_EQ(asuint(strange + 1), 0x7fc00000);
    EXPECT_EQ(asuint(zero / zero), 0x7fc00000);
    EXPECT_EQ(asuint(inf - inf), 0x7fc00000);
    EXPECT_EQ(asuint(sqrt(-1.0 - zero)), 0x7fc00000);
    EXPECT_EQ(asuint(min(strange, strange)), 0x7fc00000);
    EXPECT_EQ(asuint(WaveReadLaneAt(strange, 0)), 0x7fc01234);
    EXPECT_EQ(asuint(-strange), 0xffc01234);
}

//--- minima-prefer-numbers-and-order-zeros
//# in U u32: 0x7fc00000 0x80000000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    float nan = asfloat(U[0]), minus = asfloat(U[1]);
    EXPECT_EQ(min(nan, 3.0), 3.0);
    EXPECT_EQ(max(3.0, nan), 3.0);
    EXPECT_EQ(asuint(min(0.0, minus)), 0x80000000);
    EXPECT_EQ(asuint(max(minus, 0.0)), 0);
    EXPECT_EQ(asuint(saturate(nan)), 0);
    EXPECT_EQ(clamp(nan, 1.0, 2.0), 1.0);
    EXPECT(!(nan == nan) && nan != nan && !(nan < 1.0) && !(nan >= 1.0));
}

//--- denormals-are-kept
//# in U u32: 1 0x00800000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(asuint(asfloat(U[0]) + asfloat(U[0])), 2);
    EXPECT_EQ(asuint(asfloat(U[1]) * 0.5), 0x00400000);
}

//--- denormals-become-zeros-of-their-sign-where-that-is-asked-for
//# args -denorm ftz
//# in U u32: 1 0x00800000 0x80000001 0x3f800000 0x00400000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    float tiny = asfloat(U[0]), least = asfloat(U[1]), below = asfloat(U[2]), one = asfloat(U[3]), half_of_least = asfloat(U[4]);
    // Operands and results are flushed.
    EXPECT_EQ(asuint(half_of_least + half_of_least), 0);
    EXPECT_EQ(asuint(least * 0.5), 0);
    EXPECT_EQ(asuint(-least * 0.5), 0x80000000);
    EXPECT_EQ(asuint(below * one), 0x80000000);
    EXPECT_EQ(asuint(sqrt(below)), 0x80000000);
    EXPECT_EQ(asuint(log2(tiny)), 0xff800000);
    EXPECT_EQ(asuint(max(tiny, asfloat(0))), 0);
    EXPECT(tiny == 0);
    EXPECT(!(below < 0));
    EXPECT_EQ(asuint(WaveActiveSum(tiny)), 0);
    EXPECT_EQ(asuint(WavePrefixProduct(half_of_least)), WaveIsFirstLane() ? 0x3f800000 : 0);
    // Moves keep denormals, and so does arithmetic on other types.
    EXPECT_EQ(asuint(tiny), 1);
    EXPECT_EQ(asuint(-tiny), 0x80000001);
    EXPECT_EQ(asuint(WaveReadLaneFirst(tiny)), 1);
    EXPECT_EQ(asuint(one > 0 ? tiny : one), 1);
    EXPECT((double)least * 0.5 > 0);
}

//--- mad-rounds-twice-and-fma-once
//# in F f32: 1.00000012 -1.00000024
//# in D u64: 0x3ff0000000000001 0xbff0000000000002
StructuredBuffer<float> F;
StructuredBuffer<double> D;
[numthreads(WIDTH, 1, 1)]
void main() {
    // (1 + u) * (1 + u) is 1 + 2u + u*u, and rounding drops the last term.
    EXPECT_EQ(mad(F[0], F[0], F[1]), 0.0);
    EXPECT_EQ(fma(D[0], D[0], D[1]), asdouble(0u, 0x39700000u));
}

//--- half-arithmetic-rounds-to-half
//# args -enable-16bit-types
//# in F f32: 2048 1 65504
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    float16_t big = (float16_t)F[0], one = (float16_t)F[1], most = (float16_t)F[2];
    EXPECT_EQ(big + one, (float16_t)2048);
    EXPECT_EQ(big + one + one, (float16_t)2048);
    EXPECT_EQ(asuint16(most + big), (uint16_t)0x7c00);
    EXPECT_EQ(asuint16((float16_t)(F[1] / 3)), (uint16_t)0x3555);
}

//--- narrower-integers-keep-the-low-bits
//# args -enable-16bit-types
//# in U u64: 0x123456789abcdef0
StructuredBuffer<uint64_t> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ((uint)U[0], 0x9abcdef0);
    EXPECT_EQ((uint16_t)U[0], (uint16_t)0xdef0);
    EXPECT_EQ((int)(int16_t)U[0], (int)0xffffdef0);
}

//--- bits-that-are-not-there-are-found-at-minus-one
//# in U u32: 0 0x00010100 0xffff0000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(firstbithigh(U[0]), 0xffffffff);
    EXPECT_EQ(firstbitlow(U[0]), 0xffffffff);
    EXPECT_EQ(firstbithigh(U[1]), 16);
    EXPECT_EQ(firstbitlow(U[1]), 8);
    EXPECT_EQ(firstbithigh((int)U[2]), 15);
    EXPECT_EQ(countbits(U[1]), 2);
    EXPECT_EQ(reversebits(U[1]), 0x00808000);
}

//--- the-sign-of-a-half-is-its-highest-bit
//# args -enable-16bit-types -T cs_6_2
//# zero Out 64
//= Out u32: 0x8000*8 0*8
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float16_t half_of = (float16_t)t / (float16_t)2;
    Out[t] = asuint16(-half_of) ^ asuint16(half_of);
    Out[t + 8] = asuint16(abs(-half_of)) ^ asuint16(half_of);
}
