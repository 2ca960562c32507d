// Gathers, comparisons, cubes.

//--- a-gather-goes-around-its-place
//# texture Tex RGBA8_UINT 3x3: 0 10 20 30 1 11 21 31 2 12 22 32 3 13 23 33 4 14 24 34 5 15 25 35 6 16 26 36 7 17 27 37 8 18 28 38
//# texture Floats R32_FLOAT 3x3: 0..9
//# sampler S linear clamp
//# args -T cs_6_7
Texture2D<uint4> Tex;
Texture2D<float> Floats;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    float2 at = (float2)(1 / 3.0);
    EXPECT_EQ(Floats.Gather(S, at), float4(3, 4, 1, 0));
    EXPECT_EQ(Tex.GatherRed(S, at), uint4(3, 4, 1, 0));
    EXPECT_EQ(Tex.GatherGreen(S, at), uint4(13, 14, 11, 10));
    EXPECT_EQ(Tex.GatherBlue(S, at), uint4(23, 24, 21, 20));
    EXPECT_EQ(Tex.GatherAlpha(S, at), uint4(33, 34, 31, 30));
    EXPECT_EQ(Floats.Gather(S, at, int2(1, 1)), float4(7, 8, 5, 4));
    EXPECT_EQ(Floats.Gather(S, (float2)0), float4(0, 0, 0, 0));
    EXPECT_EQ(Floats.Gather(S, (float2)1), float4(8, 8, 8, 8));
    EXPECT_EQ(Floats.GatherRed(S, at, int2(0, 0), int2(1, 0), int2(0, 1), int2(1, 1)), float4(3, 5, 4, 4));
}

//--- a-gather-reads-the-largest-level-of-a-layer
//# texture Tex R32_FLOAT 2x2 layers 2 mips 2: 0 1 2 3 90  4 5 6 7 91
//# sampler S linear wrap
Texture2DArray<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.Gather(S, float3(0.5, 0.5, 1)), float4(6, 7, 5, 4));
    EXPECT_EQ(Tex.Gather(S, float3(0, 0, 0)), float4(1, 0, 2, 3));
}

//--- comparisons-are-made-before-filtering
//# texture Tex R32_FLOAT 2x2 mips 2: 0.25 0.75 0.25 0.75 0.5
//# sampler Less linear clamp less
//# sampler GreaterEqual nearest clamp greater-equal
//# sampler Always linear always
//# sampler Never linear never
Texture2D<float> Tex;
SamplerComparisonState Less, GreaterEqual, Always, Never;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleCmpLevelZero(Less, float2(0.25, 0.5), 0.5), 0.0);
    EXPECT_EQ(Tex.SampleCmpLevelZero(Less, float2(0.5, 0.5), 0.5), 0.5);
    EXPECT_EQ(Tex.SampleCmpLevelZero(Less, float2(0.625, 0.5), 0.5), 0.75);
    EXPECT_EQ(Tex.SampleCmpLevelZero(GreaterEqual, float2(0.25, 0.5), 0.25), 1.0);
    EXPECT_EQ(Tex.SampleCmpLevelZero(GreaterEqual, float2(0.75, 0.5), 0.25), 0.0);
    EXPECT_EQ(Tex.SampleCmpLevelZero(Always, float2(0.3, 0.3), 0), 1.0);
    EXPECT_EQ(Tex.SampleCmpLevelZero(Never, float2(0.3, 0.3), 0), 0.0);
    float2 step = float2(lane % 2, lane / 2 % 2);
    EXPECT_EQ(Tex.SampleCmp(Less, step, 0.45), 1.0);
    EXPECT_EQ(Tex.SampleCmpLevel(Less, float2(0.75, 0.5), 0.6, 1), 0.0);
    EXPECT_EQ(Tex.SampleCmpLevel(Less, float2(0.75, 0.5), 0.6, 0.5), 0.5);
    EXPECT_EQ(Tex.GatherCmp(Less, (float2)0.5, 0.5), float4(0, 1, 1, 0));
    EXPECT_EQ(Tex.GatherCmpRed(Less, (float2)0.5, 0.5), float4(0, 1, 1, 0));
}

//--- a-reference-is-clamped-for-normalised-depth
//# texture Depth D16_UNORM 1x1: 65535
//# texture Float D32_FLOAT 1x1: 1
//# sampler S nearest equal
Texture2D<float> Depth, Float;
SamplerComparisonState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Depth.SampleCmpLevelZero(S, (float2)0.5, 7), 1.0);
    EXPECT_EQ(Float.SampleCmpLevelZero(S, (float2)0.5, 7), 0.0);
    EXPECT_EQ(Float.SampleCmpLevelZero(S, (float2)0.5, 1), 1.0);
}

//--- a-direction-chooses-the-face-of-a-cube
//# texture Tex R32_FLOAT 2x2 layers 6: 0..24
//# sampler S nearest
TextureCube<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    // The upper left texel of each face.
    EXPECT_EQ(Tex.SampleLevel(S, float3(1, 0.5, 0.5), 0), 0.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(-1, 0.5, -0.5), 0), 4.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(-0.5, 1, -0.5), 0), 8.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(-0.5, -1, 0.5), 0), 12.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(-0.5, 0.5, 1), 0), 16.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(0.5, 0.5, -1), 0), 20.0);
    // The lower right one, with a direction of any length.
    EXPECT_EQ(Tex.SampleLevel(S, 7 * float3(1, -0.5, -0.5), 0), 3.0);
    // Among equal components z comes before y, and y before x.
    EXPECT_EQ(Tex.SampleLevel(S, float3(1, 1, 1), 0), 17.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(-1, 1, 0.5), 0), 10.0);
}

//--- cubes-are-filtered-across-their-edges
//# texture Tex R32_FLOAT 2x2 layers 6: 0*4 1*4 2*4 3*4 4*4 5*4
//# texture Array R32_FLOAT 1x1 layers 12: 0..12
//# sampler S linear wrap
TextureCube<float> Tex;
TextureCubeArray<float> Array;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.SampleLevel(S, float3(1, 0, 0), 0), 0.0);
    // Halfway between two faces.
    EXPECT_EQ(Tex.SampleLevel(S, float3(1, 0, 1), 0), 2.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(0, -1, -1), 0), 4.0);
    // Where three faces meet, each has the weight 1/3.
    EXPECT_EQ(Tex.SampleLevel(S, float3(1, 1, 1), 0), 2.0);
    EXPECT_EQ(Tex.Gather(S, float3(1, 0, 0)), float4(0, 0, 0, 0));
    EXPECT_EQ(Array.SampleLevel(S, float4(1, 0, 0, 1), 0), 6.0);
    EXPECT_EQ(Array.SampleLevel(S, float4(0, 0, -1, 9), 0), 11.0);
}

//--- a-cube-has-levels-of-detail
//# texture Tex R32_FLOAT 4x4 layers 6 mips 3: 0*16 10*4 20  0*16 10*4 20  0*16 10*4 20  0*16 10*4 20  0*16 10*4 20  0*16 10*4 20
//# sampler S linear
TextureCube<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleLevel(S, float3(0, 0, 1), 1.5), 15.0);
    // On a face of four texels, half a unit of the direction is one texel.
    EXPECT_EQ(Tex.SampleGrad(S, float3(0, 0, 1), float3(0.5, 0, 0), float3(0, 0.5, 0)), 0.0);
    EXPECT_EQ(Tex.SampleGrad(S, float3(0, 0, 2), float3(2, 0, 0), float3(0, 0, 0)), 10.0);
    float3 step = float3(lane % 2, lane / 2 % 2, 1000);
    EXPECT_EQ(Tex.Sample(S, step * float3(1000, 1000, 1) - float3(500, 500, 0)), 10.0);
}
