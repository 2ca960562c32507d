// Rounding, fractions, absolute values and signs, minima and maxima.

//--- floor-goes-down
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 -0 0 -1 0 -1 0 -1 1 -2 2 -3 0 8388607 -8388608 8388609 1e10 -3e38 0 -1 inf -inf nan
#define CALL(x) floor(x)
#include "functions/one.hlsli"

//--- ceil-goes-up-and-keeps-a-negative-zero
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 -0 1 -0 1 -0 1 -0 2 -1 3 -2 1 8388608 -8388607 8388609 1e10 -3e38 1 -0 inf -inf nan
#define CALL(x) ceil(x)
#include "functions/one.hlsli"

//--- trunc-goes-toward-zero
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 -0 0 -0 0 -0 0 -0 1 -1 2 -2 0 8388607 -8388607 8388609 1e10 -3e38 0 -0 inf -inf nan
#define CALL(x) trunc(x)
#include "functions/one.hlsli"

//--- round-takes-the-even-of-two-neighbours
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 -0 0 -0 0 -0 1 -1 2 -2 2 -2 0 8388608 -8388608 8388609 1e10 -3e38 0 -0 inf -inf nan
#define CALL(x) round(x)
#include "functions/one.hlsli"

//--- frac-is-never-negative
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 0 0.3 0.7 0.5 0.5 0.7 0.3 0.5 0.5 0.5 0.5 0.49999997 0.5 0.5 0 0 0 1e-45 1 nan nan nan
#define CALL(x) frac(x)
#include "functions/one.hlsli"

//--- abs-clears-the-sign-of-floats
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 0 0.3 0.3 0.5 0.5 0.7 0.7 1.5 1.5 2.5 2.5 0.49999997 8388607.5 8388607.5 8388609 1e10 3e38 1e-45 1e-45 inf inf nan
#define CALL(x) abs(x)
#include "functions/one.hlsli"

//--- saturate-of-nan-is-zero
//# args -enable-16bit-types
//# in X f32: 0 -0 0.3 -0.3 0.5 -0.5 0.7 -0.7 1.5 -1.5 2.5 -2.5 0.49999997 8388607.5 -8388607.5 8388609 1e10 -3e38 1e-45 -1e-45 inf -inf nan
//# in Y f32: 0 0 0.3 0 0.5 0 0.7 0 1 0 1 0 0.49999997 1 0 1 1 0 1e-45 0 1 0 0
#define CALL(x) saturate(x)
#include "functions/one.hlsli"

//--- fmod-is-exact-and-has-the-sign-of-its-first-argument
//# args -enable-16bit-types
//# in A f32: 5.5 -5.5 5.5 -5.5 6 -6 0 -0 1 1 -1 inf nan 1 1e30 3.4028235e38 1e-45 0.3 16777216 2
//# in B f32: 2 2 -2 -2 3 3 1 1 0 inf -inf 1 1 nan 3 1e-45 1e-40 0.1 0.7 3
//# in Y f32: 1.5 -1.5 1.5 -1.5 0 -0 0 -0 nan 1 -1 nan nan nan 0 0 1e-45 7.450581e-9 0.5857143 2
#define CALL(a, b) fmod(a, b)
#include "functions/two.hlsli"

//--- min-prefers-a-number-to-nan
//# args -enable-16bit-types
//# in A f32: 1 2 -1 0 -0 -0 nan 1 nan inf -inf 1e-45 -1e-45
//# in B f32: 2 1 1 -0 0 -0 1 nan nan 1 nan 0 -0
//# in Y f32: 1 1 -1 -0 -0 -0 1 1 nan 1 -inf 0 -1e-45
#define CALL(a, b) min(a, b)
#include "functions/two.hlsli"

//--- max-prefers-a-number-to-nan
//# args -enable-16bit-types
//# in A f32: 1 2 -1 0 -0 -0 nan 1 nan inf -inf 1e-45 -1e-45
//# in B f32: 2 1 1 -0 0 -0 1 nan nan 1 nan 0 -0
//# in Y f32: 2 2 1 0 0 -0 1 1 nan inf -inf 1e-45 -0
#define CALL(a, b) max(a, b)
#include "functions/two.hlsli"

//--- step-is-one-from-the-edge-on
//# args -enable-16bit-types
//# in A f32: 1 2 -1 0 -0 -0 nan 1 nan inf -inf 1e-45 -1e-45 1 2
//# in B f32: 2 1 1 -0 0 -0 1 nan nan 1 nan 0 -0 1 1.9999999
//# in Y f32: 1 0 1 1 1 1 0 0 0 0 0 0 1 1 0
#define CALL(a, b) step(a, b)
#include "functions/two.hlsli"

//--- clamp-with-crossed-bounds-gives-the-upper-one
//# in F f32: nan 0.5 -1 7 -0
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(clamp(F[1], 2.0, 1.0), 1.0);
    EXPECT_EQ(clamp(F[3], 2.0, 1.0), 1.0);
    EXPECT_EQ(clamp(F[0], -1.0, 1.0), -1.0);
    EXPECT_EQ(clamp(F[1], F[0], F[3]), 0.5);
    EXPECT_EQ(asuint(clamp(F[4], 0.0, 1.0)), 0);
    EXPECT_EQ(clamp((int)t - 2, 0, 1), (int)t <= 2 ? 0 : 1);
    EXPECT_EQ(clamp(t, 1u, 2u), t < 1 ? 1 : t > 2 ? 2 : t);
    EXPECT_EQ(clamp(float3(-1, 0.5, 7), 0, float3(1, 1, 2)), float3(0, 0.5, 2));
    EXPECT_EQ(clamp((uint64_t)t << 40, 1ull << 40, 2ull << 40), (uint64_t)(t < 1 ? 1 : t > 2 ? 2 : t) << 40);
    EXPECT_EQ(clamp((double)t, 0.25l, 0.75l), t == 0 ? 0.25l : 0.75l);
}

//--- min-and-max-of-integers-and-doubles
//# args -enable-16bit-types
//# in I i32: -1 1
StructuredBuffer<int> I;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(min(I[0], I[1]), -1);
    EXPECT_EQ(max(I[0], I[1]), 1);
    // One unsigned operand makes both unsigned.
    EXPECT_EQ(max(I[0], (uint)I[1]), 0xffffffff);
    EXPECT_EQ(min((uint)I[0], I[1]), 1);
    EXPECT_EQ(max((int64_t)I[0], (int64_t)I[1]), (int64_t)1);
    EXPECT_EQ(max((uint64_t)I[0], (uint64_t)I[1]), 0xffffffffffffffffull);
    EXPECT_EQ(min((int16_t)I[0], (int16_t)I[1]), (int16_t)-1);
    EXPECT_EQ(min((uint16_t)I[0], (uint16_t)I[1]), (uint16_t)1);
    EXPECT_EQ(min((double)I[0], (double)I[1]), -1.0l);
    EXPECT_EQ(max((double)I[0], (double)I[1]), 1.0l);
    EXPECT_EQ(max(int3(I[0], 2, 3), I[1]), int3(1, 2, 3));
    EXPECT_EQ(max(true, I[0]), 1);
    int2x2 m = min(int2x2(1, 2, 3, 4), 3);
    EXPECT_EQ(m[1], int2(3, 3));
}

//--- abs-of-the-smallest-integer-is-itself
//# args -enable-16bit-types
//# in I i32: -2147483648 -5
StructuredBuffer<int> I;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(abs(I[0]), I[0]);
    EXPECT_EQ(abs(I[1]), 5);
    EXPECT_EQ(abs((uint)I[1]), (uint)I[1]);
    EXPECT_EQ(abs((int64_t)I[0]), 2147483648ll);
    EXPECT_EQ(abs((int16_t)I[1]), (int16_t)5);
    EXPECT_EQ(abs((uint64_t)I[1]), (uint64_t)I[1]);
    EXPECT_EQ(abs((double)I[1]), 5.0l);
    EXPECT_EQ(abs(int3(-1, 2, I[1])), int3(1, 2, 5));
    EXPECT_EQ(abs(int2x2(-1, 2, -3, 4))[1], int2(3, 4));
    EXPECT_EQ(abs(true), 1);
}

//--- sign-is-an-int-whatever-it-is-the-sign-of
//# args -enable-16bit-types
//# in F f32: -2.5 0 -0 1e-45 nan -inf
StructuredBuffer<float> F;
int kind(int x) { return 1; }
int kind(float x) { return 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(int4(sign(F[0]), sign(F[1]), sign(F[2]), sign(F[3])), int4(-1, 0, 0, 1));
    EXPECT_EQ(sign(F[4]), 0);
    EXPECT_EQ(sign(F[5]), -1);
    EXPECT_EQ(kind(sign(F[0])), 1);
    EXPECT_EQ(sign(0xffffffffu + t * 0), 1);
    EXPECT_EQ(sign((int)t - 1), t == 0 ? -1 : t == 1 ? 0 : 1);
    EXPECT_EQ(sign((half)F[0]), -1);
    EXPECT_EQ(sign((double)F[0]), -1);
    EXPECT_EQ(sign((int64_t)-1), -1);
    EXPECT_EQ(sign(float3(F[0], F[1], F[3])), int3(-1, 0, 1));
    EXPECT_EQ(sign(float2x2(F[0], 1, 0, F[3]))[1], int2(0, 1));
}

//--- saturate-and-rcp-of-doubles-stay-doubles
//# in D f64: 3 -0.5 0.1 nan
StructuredBuffer<double> D;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(rcp(D[0]), asdouble(0x55555555u, 0x3fd55555u));
    EXPECT_EQ(saturate(D[0]), 1.0l);
    EXPECT_EQ(saturate(D[1]), 0.0l);
    EXPECT_EQ(saturate(D[2]), D[2]);
    EXPECT_EQ(saturate(D[3]), 0.0l);
}

//--- remainders-of-doubles-are-exact
//# in A f64: 5.5 -5.5 5.5 -5.5 0 -0 1 -1 inf 1 nan 1 1e300 1.7976931348623157e308 5e-324 1e-310 0.3 9007199254740993 1e-5 2.2250738585072014e-308
//# in B f64: 2 2 -2 -2 1 1 inf -inf 1 0 1 nan 3.3 5e-324 1e-310 5e-324 0.1 3 1e-310 1.5e-310
//# in Y f64: 1.5 -1.5 1.5 -1.5 0 -0 1 -1 nan nan nan nan 0.6893925374809653 0 5e-324 0 0.09999999999999998 2.0 5.349839945143e-311 5.0738585071716e-311
StructuredBuffer<double> A;
StructuredBuffer<double> B;
StructuredBuffer<double> Y;
[numthreads(WIDTH, 1, 1)]
void main() {
    uint count, stride;
    A.GetDimensions(count, stride);
    for (uint i = 0; i < count; i++) {
        uint2 got, wanted;
        asuint(A[i] % B[i], got.x, got.y);
        asuint(Y[i], wanted.x, wanted.y);
        EXPECT_EQ(got, wanted);
    }
}

//--- functions-that-have-no-double-form-compute-in-float
//# in D f64: 2 0.1 2.5
StructuredBuffer<double> D;
int kind(float x) { return 1; }
int kind(double x) { return 2; }
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(kind(sqrt(D[0])), 1); //~ warning[lossy-conversion]: `double`
    EXPECT_EQ(kind(sin(D[1])), 1); //~ warning[lossy-conversion]: `double`
    EXPECT_EQ(kind(floor(D[2])), 1); //~ warning[lossy-conversion]: `double`
    EXPECT_EQ(kind(lerp(D[0], (float)D[1], (float)D[2])), 1); //~ warning[lossy-conversion]: `double`
    EXPECT_EQ(kind(abs(D[0])), 2);
    EXPECT_EQ(kind(fma(D[0], D[1], D[2])), 2);
    EXPECT_EQ(asuint(sqrt(D[0])), 0x3fb504f3); //~ warning[lossy-conversion]: `double`
    EXPECT_EQ(sin(D[1]), sin(0.1)); //~ warning[lossy-conversion]: `double`
    EXPECT_EQ(round(D[2]), 2.0); //~ warning[lossy-conversion]: `double`
}

//--- modf-splits-with-the-sign-of-its-argument
//# args -enable-16bit-types
//# in F f32: 3.75 -3.75 -2 inf -inf nan -0 -0.25
//# in FRACTION f32: 0.75 -0.75 -0 0 -0 nan -0 -0.25
//# in WHOLE f32: 3 -3 -2 inf -inf nan -0 -0
StructuredBuffer<float> F;
StructuredBuffer<float> FRACTION;
StructuredBuffer<float> WHOLE;
[numthreads(WIDTH, 1, 1)]
void main() {
    for (uint i = 0; i < 8; i++) {
        float whole;
        float fraction = modf(F[i], whole);
        EXPECT_EQ(asuint(fraction), asuint(FRACTION[i]));
        EXPECT_EQ(asuint(whole), asuint(WHOLE[i]));
        half small_whole;
        half small = modf((half)F[i], small_whole);
        EXPECT_EQ(asuint16(small), asuint16((half)FRACTION[i]));
        EXPECT_EQ(asuint16(small_whole), asuint16((half)WHOLE[i]));
    }
    float3 w;
    EXPECT_EQ(modf(float3(1.5, -1.5, 2), w), float3(0.5, -0.5, 0));
    EXPECT_EQ(w, float3(1, -1, 2));
    int as_int;
    EXPECT_EQ(modf(F[0], as_int), 0.75);
    EXPECT_EQ(as_int, 3);
}

//--- frexp-has-mantissas-from-a-half-to-one
//# args -enable-16bit-types
//# in F f32: 1 -3 0.5 0 -0 1e-45 3.4028235e38 inf -inf nan 1.1754942e-38
//# in MANTISSA f32: 0.5 -0.75 0.5 0 -0 0.5 0.99999994 inf -inf nan 0.9999999
//# in EXPONENT f32: 1 2 0 0 0 -148 128 0 0 0 -126
StructuredBuffer<float> F;
StructuredBuffer<float> MANTISSA;
StructuredBuffer<float> EXPONENT;
[numthreads(WIDTH, 1, 1)]
void main() {
    for (uint i = 0; i < 11; i++) {
        float exponent;
        EXPECT_EQ(asuint(frexp(F[i], exponent)), asuint(MANTISSA[i]));
        EXPECT_EQ(asuint(exponent), asuint(EXPONENT[i]));
    }
    float2 e;
    EXPECT_EQ(frexp(float2(8, -0.1875), e), float2(0.5, -0.75));
    EXPECT_EQ(e, float2(4, -2));
    half small;
    EXPECT_EQ(frexp((half)5.96046448e-8, small), (half)0.5);
    EXPECT_EQ(small, (half)-23);
}

//--- numbers-are-finite-infinite-nan-or-normal
//# args -enable-16bit-types
//# in F f32: 1 -0 1e-45 1.1754944e-38 3.4028235e38 inf -inf nan
//# in KIND u32: 9 1 1 9 9 2 2 4
StructuredBuffer<float> F;
StructuredBuffer<uint> KIND;
[numthreads(WIDTH, 1, 1)]
void main() {
    for (uint i = 0; i < 8; i++) {
        float x = F[i];
        EXPECT_EQ((isfinite(x) ? 1 : 0) + (isinf(x) ? 2 : 0) + (isnan(x) ? 4 : 0) + (isnormal(x) ? 8 : 0), KIND[i]);
        EXPECT_EQ(isnan(float2(x, 1)), bool2(isnan(x), false));
        EXPECT_EQ(isinf(float3(x, 1, x)), bool3(isinf(x), false, isinf(x)));
        EXPECT_EQ(isfinite(float2x2(x, 1, x, 1))[1], bool2(isfinite(x), true));
        half h = (half)x;
        EXPECT_EQ(isnan(h), isnan((float)h));
        EXPECT_EQ(isinf(h), isinf((float)h));
        EXPECT_EQ(isfinite(h), isfinite((float)h));
    }
    // The smallest normal half is 2^-14.
    EXPECT(isnormal(asfloat16((uint16_t)0x0400)) && !isnormal(asfloat16((uint16_t)0x03ff)));
    EXPECT(!isnormal((half)0) && !isnormal(asfloat16((uint16_t)0x7c00)));
    EXPECT(!isnan(1) && isfinite(2u));
}
