// CALL(a, b), a function of two floats: its result for each A and B has the bits Y; vectors, matrices and halves give the same.
#include "prelude.hlsli"

StructuredBuffer<float> A;
StructuredBuffer<float> B;
StructuredBuffer<float> Y;

[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint count, stride;
    A.GetDimensions(count, stride);
    for (uint i = 0; i < count; i++) {
        float a = A[i], b = B[i], c = B[(i + t) % count];
        EXPECT_EQ(asuint(CALL(a, b)), asuint(Y[i]));
        EXPECT_EQ(asuint(CALL(float2(a, c), float2(b, a))), asuint(float2(CALL(a, b), CALL(c, a))));
        EXPECT_EQ(asuint(CALL(float3(a, c, b), b)), asuint(float3(CALL(a, b), CALL(c, b), CALL(b, b))));
        EXPECT_EQ(asuint(CALL(a, float4(b, c, a, 1))),
                  asuint(float4(CALL(a, b), CALL(a, c), CALL(a, a), CALL(a, 1.0))));
        float2x2 m = CALL(float2x2(a, b, c, a), float2x2(b, a, b, c));
        EXPECT_EQ(asuint(m[0]), asuint(float2(CALL(a, b), CALL(b, a))));
        EXPECT_EQ(asuint(m[1]), asuint(float2(CALL(c, b), CALL(a, c))));

#ifndef FLOATS_ONLY
        // A half is computed as a float and rounded.
        half h = (half)a, g = (half)b;
        EXPECT_EQ(asuint16(CALL(h, g)), asuint16((half)CALL((float)h, (float)g)));
        half2 v = CALL(half2(h, g), half2(g, h));
        EXPECT_EQ(asuint16(v.x), asuint16(CALL(h, g)));
        EXPECT_EQ(asuint16(v.y), asuint16(CALL(g, h)));
#endif
    }
}
