// CALL(x), a function of one float: its result for each X has the bits Y; vectors, matrices and halves give the same.
#include "prelude.hlsli"

StructuredBuffer<float> X;
StructuredBuffer<float> Y;

[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint count, stride;
    X.GetDimensions(count, stride);
    for (uint i = 0; i < count; i++) {
        float x = X[i], other = X[(i + t) % count];
        EXPECT_EQ(asuint(CALL(x)), asuint(Y[i]));
        EXPECT_EQ(asuint(CALL(float2(x, other))), asuint(float2(CALL(x), CALL(other))));
        EXPECT_EQ(asuint(CALL(float3(x, other, x))), asuint(float3(CALL(x), CALL(other), CALL(x))));
        EXPECT_EQ(asuint(CALL(float4(x, other, x, 1))), asuint(float4(CALL(x), CALL(other), CALL(x), CALL(1.0))));
        float2x3 m = CALL(float2x3(x, other, x, other, x, 0.5));
        EXPECT_EQ(asuint(m[0]), asuint(float3(CALL(x), CALL(other), CALL(x))));
        EXPECT_EQ(asuint(m[1]), asuint(float3(CALL(other), CALL(x), CALL(0.5))));

#ifndef FLOATS_ONLY
        // A half is computed as a float and rounded.
        half h = (half)x, g = (half)other;
        EXPECT_EQ(asuint16(CALL(h)), asuint16((half)CALL((float)h)));
        half3 v = CALL(half3(h, g, h));
        EXPECT_EQ(asuint16(v.x), asuint16(CALL(h)));
        EXPECT_EQ(asuint16(v.y), asuint16(CALL(g)));
        EXPECT_EQ(asuint16(v.z), asuint16(CALL(h)));
        min16float m16 = CALL((min16float)x);
        EXPECT_EQ(asuint16((half)m16), asuint16(CALL(h)));
#endif
    }
}
