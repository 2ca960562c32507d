// Scaling and blending, defined by formulas in which each operation rounds.

//--- degrees-multiplies-by-the-nearest-factor
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 3.1415927 1.8e2 -9e1 57.29578 1e-45 3e38 inf -inf nan
//# in Y f32: 0 -0 57.29578 -57.29578 1.8e2 10313.24 -5156.62 3282.8064 8e-44 inf inf -inf nan
#define FLOATS_ONLY
#define CALL(x) degrees(x)
#include "functions/one.hlsli"

//--- radians-multiplies-by-the-nearest-factor
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 3.1415927 1.8e2 -9e1 57.29578 1e-45 3e38 inf -inf nan
//# in Y f32: 0 -0 0.017453292 -0.017453292 0.054831136 3.1415927 -1.5707964 1 0 5.2359877e36 inf -inf nan
#define FLOATS_ONLY
#define CALL(x) radians(x)
#include "functions/one.hlsli"

//--- ldexp-multiplies-by-a-rounded-power-of-two
//# args -enable-16bit-types
//# in A f32: 0.75 -0.75 1 1 0.5 3 1 0 -0 0 1e-45 inf nan 1 1
//# in B f32: 3 3 -149 -1.5e2 128 -1 0.5 1e1 -1e1 2e2 2e1 -1 0 nan -inf
//# in Y f32: 6 -6 1e-45 0 inf 1.5 1.4142135 0 -0 nan 1.469368e-39 inf nan nan 0
#define FLOATS_ONLY
#define CALL(a, b) ldexp(a, b)
#include "functions/two.hlsli"

//--- ldexp-of-integers-and-vectors
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(ldexp(3, 4), 48.0);
    EXPECT_EQ(ldexp(1.5, (float)t % 8), 1.5 * (1u << t % 8));
    EXPECT_EQ(ldexp(float3(1, 2, 3), int3(0, 1, -1)), float3(1, 4, 1.5));
    EXPECT_EQ(ldexp(float2(1, 2), 3), float2(8, 16));
}

//--- lerp-is-a-plus-t-times-b-minus-a
//# args -enable-16bit-types
//# in F f32: 1e30 1 nan inf
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float s = t / (float)WIDTH;
    EXPECT_EQ(lerp(2.0, 6.0, s), 2.0 + s * 4.0);
    EXPECT_EQ(lerp(6.0, 2.0, 1.5), 0.0);
    // The formula loses b where a is much larger.
    EXPECT_EQ(lerp(F[0], F[1], 1.0), 0.0);
    EXPECT_EQ(asuint(lerp(F[1], F[2], 0.0)), 0x7fc00000);
    EXPECT_EQ(asuint(lerp(F[1], F[3], 0.0)), 0x7fc00000);
    EXPECT_EQ(lerp(float3(0, 1, 2), 4, 0.5), float3(2, 2.5, 3));
    EXPECT_EQ(lerp(float2(0, 8), float2(8, 0), float2(0.25, 0.25)), float2(2, 6));
    EXPECT_EQ(lerp(float2x2(0, 1, 2, 3), 4.0, 0.5)[1], float2(3, 3.5));
    EXPECT_EQ(lerp((half)2, (half)4, (half)0.25), (half)2.5);
    EXPECT_EQ(lerp(1, 3, 0.5), 2.0);
}

//--- smoothstep-between-equal-edges-is-a-step
//# args -enable-16bit-types
//# in F f32: 1 nan
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float s = t / (float)WIDTH;
    EXPECT_EQ(smoothstep(0.0, 1.0, s), s * s * (3.0 - 2.0 * s));
    EXPECT_EQ(smoothstep(2.0, 4.0, 3.0), 0.5);
    EXPECT_EQ(smoothstep(4.0, 2.0, 3.5), 0.15625);
    EXPECT_EQ(smoothstep(2.0, 4.0, F[0]), 0.0);
    EXPECT_EQ(smoothstep(F[0], F[0], 0.5), 0.0);
    EXPECT_EQ(smoothstep(F[0], F[0], 1.5), 1.0);
    EXPECT_EQ(smoothstep(F[0], F[0], F[0]), 0.0);
    EXPECT_EQ(smoothstep(0.0, 1.0, F[1]), 0.0);
    EXPECT_EQ(smoothstep(0.0, float3(1, 2, 4), 1.0), float3(1, 0.5, 0.15625));
    EXPECT_EQ(smoothstep((half)0, (half)2, (half)1), (half)0.5);
}

//--- mad-keeps-the-type-of-its-arguments
//# args -enable-16bit-types
//# in I i32: 3 -4 5
StructuredBuffer<int> I;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(mad(I[0], I[1], I[2]), -7);
    EXPECT_EQ(mad((uint)t, 0x10000u, 1u), t * 0x10000u + 1);
    EXPECT_EQ(mad((uint64_t)t, 1ull << 33, 1ull), ((uint64_t)t << 33) + 1);
    EXPECT_EQ(mad((int16_t)I[0], (int16_t)I[1], (int16_t)I[2]), (int16_t)-7);
    EXPECT_EQ(mad((half)I[0], (half)I[1], (half)I[2]), (half)-7);
    EXPECT_EQ(mad((double)I[0], (double)I[1], 0.5l), -11.5l);
    EXPECT_EQ(mad(float3(1, 2, 3), 2, 0.5), float3(2.5, 4.5, 6.5));
    EXPECT_EQ(mad(int2x2(1, 2, 3, 4), 2, 1)[1], int2(7, 9));
}

//--- fma-rounds-once-in-every-float-type
//# args -enable-16bit-types
//# in F f32: 1.00000012 -1.00000024
//# in H f16: 1.0009766 -1.0019531
//# in D u64: 0x3ff0000000000001 0xbff0000000000002 0x0000000000000001 0xffefffffffffffff
StructuredBuffer<float> F;
StructuredBuffer<half> H;
StructuredBuffer<double> D;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(fma(F[0], F[0], F[1]), asfloat(0x28800000));
    EXPECT_EQ(mad(F[0], F[0], F[1]), 0.0);
    EXPECT_EQ(fma(H[0], H[0], H[1]), (half)9.5367432e-7);
    EXPECT_EQ(fma(D[0], D[0], D[1]), asdouble(0u, 0x39700000u));
    EXPECT_EQ(fma(D[2], 0.5l, D[2]), asdouble(2u, 0u));
    EXPECT_EQ(fma(-D[3], 2.0l, D[3]), -D[3]);
    EXPECT(all(fma(double2(2, 3), double2(4, 5), 1) == double2(9, 16)));
}
