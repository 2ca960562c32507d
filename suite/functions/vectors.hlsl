// Functions over the components of vectors. Sums go from left to right, and each operation rounds.

//--- dot-sums-from-the-left
//# args -enable-16bit-types
//# in F f32: 1e8 1 -1e8
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(dot(float3(F[0], F[1], F[2]), 1), 0.0);
    EXPECT_EQ(dot(float3(F[0], F[2], F[1]), 1), 1.0);
    EXPECT_EQ(dot(float4(1, 2, 3, t), float4(4, 3, 2, 1)), 16.0 + t);
    EXPECT_EQ(dot(float2(1, 2), int2(3, 4)), 11.0);
    EXPECT_EQ(dot(3.0, 4.0), 12.0);
    // On integers it wraps.
    EXPECT_EQ(dot(int3(1, -2, 3), int3(4, 5, 6)), 12);
    EXPECT_EQ(dot(uint2(0x80000000, t), uint2(2, 1)), t);
    EXPECT_EQ(dot(uint64_t2(1, 2) << 40, 1), 3ull << 40);
    EXPECT_EQ(dot(int16_t2(300, 300), int16_t2(300, 0)), (int16_t)24464);
    EXPECT_EQ(dot((half3)1, half3(2048, 1, 1)), (half)2048);
    EXPECT_EQ(dot(double2(0.5l, 2), double2(2, 3)), 7.0l);
}

//--- cross-of-axes
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 x = float3(1 + t, 0, 0), y = float3(0, 1, 0);
    EXPECT_EQ(cross(x, y), float3(0, 0, 1 + t));
    EXPECT_EQ(cross(y, x), float3(0, 0, -1.0 - t));
    EXPECT_EQ(cross(float3(1, 2, 3), float3(4, 5, 6)), float3(-3, 6, -3));
    half3 h = cross(half3(1, 2, 3), half3(4, 5, 6));
    EXPECT_EQ((float3)h, float3(-3, 6, -3));
    EXPECT_EQ(cross(float3(1, 2, 3), 2), float3(-2, 4, -2));
}

//--- length-and-distance-are-roots-of-sums-of-squares
//# args -enable-16bit-types
//# in F f32: 1e20 1e-30 inf nan
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(length(float2(3, 4)), 5.0);
    EXPECT_EQ(length(float3(2, 3, 6)), 7.0);
    EXPECT_EQ(length(float4(1, 1, 1, -1)), 2.0);
    EXPECT_EQ(length(-3.0), 3.0);
    EXPECT_EQ(length(int2(-3, 4)), 5.0);
    EXPECT_EQ(distance(float2(1, t), float2(4, t + 4)), 5.0);
    EXPECT_EQ(distance(7, 2), 5.0);
    EXPECT_EQ(distance(half2(1, 1), half2(4, 5)), (half)5);
    // The square of a large number is infinite, that of a small one zero: no scaling is done.
    EXPECT_EQ(length(float2(F[0], 1)), asfloat(0x7f800000));
    EXPECT_EQ(length(float2(F[1], 0)), 0.0);
    EXPECT_EQ(length(float2(F[2], 1)), asfloat(0x7f800000));
    EXPECT_EQ(asuint(length(float2(F[3], F[2]))), 0x7fc00000);
    EXPECT_EQ(length((half2)300), asfloat16((uint16_t)0x7c00));
}

//--- normalize-multiplies-by-the-reciprocal-root
//# args -enable-16bit-types
//# in F f32: 0 3 4
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    float2 v = float2(F[1], F[2]);
    EXPECT_EQ(normalize(v), v * rsqrt(dot(v, v)));
    EXPECT_EQ(normalize(float3(0, -2, 0)), float3(0, -1, 0));
    EXPECT_EQ(normalize(float4(1, 1, 1, -1)), float4(0.5, 0.5, 0.5, -0.5));
    EXPECT_EQ(normalize(-5.0), -5.0 * rsqrt(25.0));
    // The zero vector has no direction.
    EXPECT_EQ(asuint(normalize(float2(F[0], F[0]))), uint2(0x7fc00000, 0x7fc00000));
    EXPECT_EQ((float2)normalize(half2(0, 4)), float2(0, 1));
}

//--- faceforward-turns-a-normal-to-the-viewer
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 n = float3(1, 2, t), i = float3(0, 0, -1);
    EXPECT_EQ(faceforward(n, i, float3(0, 0, 1)), n);
    EXPECT_EQ(faceforward(n, i, float3(0, 0, -1)), -n);
    // At a right angle the vector does not face forward.
    EXPECT_EQ(faceforward(n, i, float3(1, 0, 0)), -n);
    EXPECT_EQ(faceforward(2.0, -1.0, 1.0), 2.0);
    EXPECT_EQ((float2)faceforward(half2(1, 2), half2(1, 0), half2(1, 0)), float2(-1, -2));
}

//--- reflect-mirrors-at-a-plane
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(reflect(float3(1, -2, t), float3(0, 1, 0)), float3(1, 2, t));
    EXPECT_EQ(reflect(float2(1, -1), float2(2, 0)), float2(-7, -1));
    EXPECT_EQ(reflect(3.0, 1.0), -3.0);
    EXPECT_EQ((float2)reflect(half2(1, -1), half2(0, 1)), float2(1, 1));
}

//--- refract-bends-or-reflects-everything
//# args -enable-16bit-types
//# in F f32: 0.6 -0.8 1.5 0.5
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 i = float2(F[0], F[1]), n = float2(0, 1);
    // The same medium: no refraction.
    EXPECT_EQ(refract(float2(0, -1), n, 1.0), float2(0, -1));
    float2 bent = refract(i, n, F[3]);
    EXPECT_EQ(bent.x, 0.5 * F[0]);
    EXPECT_EQ(bent.y, 0.5 * F[1] - (0.5 * F[1] + sqrt(1.0 - 0.25 * (1.0 - F[1] * F[1]))));
    // Beyond the critical angle the result is zero.
    EXPECT_EQ(refract(float2(1, 0), n, F[2]), float2(0, 0));
    EXPECT_EQ(refract(float3(0, 0, -1), float3(0, 0, 1), 1), float3(0, 0, -1));
    EXPECT_EQ((float2)refract(half2(0, -1), half2(0, 1), (half)1), float2(0, -1));
}

//--- dst-makes-a-row-of-distances
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(dst(float4(9, 2, 3, 9), float4(9, 5, 9, t)), float4(1, 10, 3, t));
    EXPECT_EQ(dst(int4(9, 2, 3, 9), int4(9, -5, 9, 4)), int4(1, -10, 3, 4));
}

//--- lit-is-dark-behind-the-surface
//# args -enable-16bit-types
//# in F f32: 0.5 -0.5 2 nan
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(lit(F[0], F[0], F[2]), float4(1, 0.5, 0.25, 1));
    EXPECT_EQ(lit(F[1], F[0], F[2]), float4(1, 0, 0, 1));
    EXPECT_EQ(lit(F[0], F[1], F[2]), float4(1, 0.5, 0, 1));
    EXPECT_EQ(lit(1, 2, 3), float4(1, 1, 8, 1));
    EXPECT_EQ((float4)lit((half)F[0], (half)F[0], (half)F[2]), float4(1, 0.5, 0.25, 1));
}

//--- sincos-writes-both
//# args -enable-16bit-types
//# in F f32: 0.5 -0 1e10 inf
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    for (uint i = 0; i < 4; i++) {
        float s, c;
        sincos(F[i], s, c);
        EXPECT_EQ(asuint(s), asuint(sin(F[i])));
        EXPECT_EQ(asuint(c), asuint(cos(F[i])));
        float3 vs, vc;
        sincos(float3(F[i], 1, 2), vs, vc);
        EXPECT_EQ(asuint(vs), asuint(sin(float3(F[i], 1, 2))));
        EXPECT_EQ(asuint(vc), asuint(cos(float3(F[i], 1, 2))));
        half hs, hc;
        sincos((half)F[i], hs, hc);
        EXPECT_EQ(asuint16(hs), asuint16(sin((half)F[i])));
        EXPECT_EQ(asuint16(hc), asuint16(cos((half)F[i])));
    }
}
