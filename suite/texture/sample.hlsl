// Sampling: filters, address modes, levels of detail, offsets, layers.

//--- a-sampled-level-is-filtered
//# texture Tex R32_FLOAT 4x1 mips 2: 0 4 8 12  100 200
//# sampler S linear clamp
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleLevel(S, float2((lane % 4 + 0.5) / 4, 0.5), 0), lane % 4 * 4.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.25, 0.5), 0), 2.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.5, 0.5), 1), 150.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.25, 0.5), 0.5), 51.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0, 0.5), 9), 100.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(1, 0.5), -9), 12.0);
}

//--- weights-are-256ths
//# texture Tex R32_FLOAT 2: 0 256
//# sampler S linear clamp
Texture1D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // From the centre of the first texel to that of the second; halves round up.
    EXPECT_EQ(Tex.SampleLevel(S, 0.25 + lane / 512.0, 0), (float)lane);
    EXPECT_EQ(Tex.SampleLevel(S, 0.25 + (lane + 0.5) / 512.0, 0), lane + 1.0);
    EXPECT_EQ(Tex.SampleLevel(S, 0.25 + (lane + 0.25) / 512.0, 0), (float)lane);
    EXPECT_EQ(Tex.SampleLevel(S, 0.25 + (lane + 0.75) / 512.0, 0), lane + 1.0);
}

//--- nearest-texels-are-those-that-the-place-lies-in
//# texture Tex R32_FLOAT 4: 0 1 2 3
//# sampler S nearest clamp
Texture1D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleLevel(S, (lane % 4 + 0.99) / 4, 0), lane % 4 * 1.0);
    EXPECT_EQ(Tex.SampleLevel(S, lane % 4 / 4.0, 0), lane % 4 * 1.0);
    // The next texel does not count, however close it is.
    EXPECT_EQ(Tex.SampleLevel(S, (1 - 1 / 65536.0) / 4, 0), 0.0);
}

//--- address-modes-of-nearest-texels
//# texture Tex R32_FLOAT 3: 1 2 3
//# sampler Wrap nearest wrap
//# sampler Mirror nearest mirror
//# sampler Clamp nearest clamp
//# sampler Border nearest border border=9/9/9/9
//# sampler Once nearest mirror-once
Texture1D<float> Tex;
SamplerState Wrap, Mirror, Clamp, Border, Once;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Texels -6 to 8.
    const float wrap[15] = { 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3 };
    const float mirror[15] = { 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2, 3 };
    const float clamped[15] = { 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3 };
    const float border[15] = { 9, 9, 9, 9, 9, 9, 1, 2, 3, 9, 9, 9, 9, 9, 9 };
    const float once[15] = { 3, 3, 3, 3, 2, 1, 1, 2, 3, 3, 3, 3, 3, 3, 3 };
    for (uint i = 0; i < 15; ++i) {
        float u = ((float)i - 6 + 0.5) / 3;
        EXPECT_EQ(Tex.SampleLevel(Wrap, u, 0), wrap[i]);
        EXPECT_EQ(Tex.SampleLevel(Mirror, u, 0), mirror[i]);
        EXPECT_EQ(Tex.SampleLevel(Clamp, u, 0), clamped[i]);
        EXPECT_EQ(Tex.SampleLevel(Border, u, 0), border[i]);
        EXPECT_EQ(Tex.SampleLevel(Once, u, 0), once[i]);
    }
}

//--- address-modes-of-filtered-texels
//# texture Tex R32_FLOAT 2x2: 0 2 4 8
//# sampler Wrap linear wrap
//# sampler Mixed linear u=wrap v=clamp
//# sampler Border linear border border=16/0/0/0
Texture2D<float> Tex;
SamplerState Wrap, Mixed, Border;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.SampleLevel(Wrap, float2(0, 0.25), 0), 1.0);
    EXPECT_EQ(Tex.SampleLevel(Wrap, float2(0, 0), 0), 3.5);
    EXPECT_EQ(Tex.SampleLevel(Wrap, float2(-3, 7), 0), 3.5);
    EXPECT_EQ(Tex.SampleLevel(Mixed, float2(0, 0), 0), 1.0);
    EXPECT_EQ(Tex.SampleLevel(Border, float2(0, 0.25), 0), 8.0);
    EXPECT_EQ(Tex.SampleLevel(Border, float2(0, 0), 0), 12.0);
    EXPECT_EQ(Tex.SampleLevel(Border, float2(-9, 0), 0), 16.0);
}

//--- coordinates-that-are-not-numbers
//# texture Tex R32_FLOAT 4: 1 2 3 4
//# sampler S nearest clamp
//# sampler W nearest wrap
Texture1D<float> Tex;
SamplerState S, W;
[numthreads(WIDTH, 1, 1)]
void main() {
    float nan = asfloat(0x7fc00000u), inf = asfloat(0x7f800000u);
    EXPECT_EQ(Tex.SampleLevel(S, nan, 0), 1.0);
    EXPECT_EQ(Tex.SampleLevel(S, inf, 0), 4.0);
    EXPECT_EQ(Tex.SampleLevel(S, -inf, 0), 1.0);
    EXPECT_EQ(Tex.SampleLevel(W, inf, 0), 1.0);
    EXPECT_EQ(Tex.SampleLevel(S, 0.9, nan), 4.0);
}

//--- levels-are-rounded-or-blended
//# texture Tex R32_FLOAT 8 mips 4: 0*8 10*4 20*2 30
//# sampler Point nearest mip=nearest
//# sampler Linear nearest mip=linear
//# sampler Limited linear lod=1..2
//# sampler Biased linear bias=1
Texture1D<float> Tex;
SamplerState Point, Linear, Limited, Biased;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleLevel(Point, 0.5, 0.49), 0.0);
    EXPECT_EQ(Tex.SampleLevel(Point, 0.5, 0.5), 10.0);
    EXPECT_EQ(Tex.SampleLevel(Point, 0.5, 1.49), 10.0);
    EXPECT_EQ(Tex.SampleLevel(Point, 0.5, 2.5), 30.0);
    EXPECT_EQ(Tex.SampleLevel(Linear, 0.5, lane / 64.0), min(10 * lane / 64.0, 30.0));
    // Fractions below a 256th are truncated.
    EXPECT_EQ(Tex.SampleLevel(Linear, 0.5, lane / 64.0 + 0.0039), min(10 * lane / 64.0, 30.0));
    EXPECT_EQ(Tex.SampleLevel(Limited, 0.5, 0), 10.0);
    EXPECT_EQ(Tex.SampleLevel(Limited, 0.5, 5), 20.0);
    EXPECT_EQ(Tex.SampleLevel(Biased, 0.5, 0.5), 15.0);
}

//--- magnified-and-minified-textures-have-filters-of-their-own
//# texture Tex R32_FLOAT 2 mips 2: 0 8  4
//# sampler S min=linear mag=nearest mip=nearest clamp
Texture1D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.SampleLevel(S, 0.375, 0), 0.0);
    EXPECT_EQ(Tex.SampleLevel(S, 0.375, 0.25), 2.0);
    EXPECT_EQ(Tex.SampleLevel(S, 0.375, -1), 0.0);
}

//--- offsets-move-a-sample-in-texels-of-its-level
//# texture Tex R32_FLOAT 4x4 mips 2: 0..16 100 101 102 103
//# sampler S nearest wrap
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.1, 0.1), 0, int2(1, 2)), 9.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.1, 0.1), 0, int2(-1, 0)), 3.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.1, 0.1), 1, int2(1, 1)), 103.0);
    uint status;
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.1, 0.1), 1, int2(2, 1), status), 102.0);
    EXPECT(CheckAccessFullyMapped(status));
}

//--- layers-round-to-the-nearest-even-one
//# texture Tex R32_FLOAT 1 layers 4: 0 1 2 3
//# texture Two R32_FLOAT 1x1 layers 3: 5 6 7
//# sampler S linear
Texture1DArray<float> Tex;
Texture2DArray<float> Two;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.5, 0.5), 0), 0.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.5, 1.5), 0), 2.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.5, 2.4), 0), 2.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.5, 9), 0), 3.0);
    EXPECT_EQ(Tex.SampleLevel(S, float2(0.5, -9), 0), 0.0);
    EXPECT_EQ(Two.SampleLevel(S, float3(0.5, 0.5, 1), 0), 6.0);
}

//--- volumes-are-filtered-on-three-axes
//# texture Tex R32_FLOAT 2x2x2: 0 1 2 3 4 5 6 7
//# sampler S linear clamp
Texture3D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleLevel(S, (float3)0.5, 0), 3.5);
    EXPECT_EQ(Tex.SampleLevel(S, float3(0.25, 0.25, 0.5), 0), 2.0);
    EXPECT_EQ(Tex.SampleLevel(S, float3(0.75, 0.5, 0.75), 0), 6.0);
}

//--- srgb-texels-are-linear-before-they-are-filtered
//# texture Tex RGBA8_SRGB 2: 0 0 0 0  255 255 255 255
//# sampler S linear clamp
Texture1D<float4> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Tex.SampleLevel(S, 0.5, 0), (float4)0.5);
}

//--- given-derivatives-choose-the-level
//# texture Tex R32_FLOAT 8x8 mips 4: 0*64 10*16 20*4 30
//# sampler S linear
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main() {
    float2 at = float2(0.3, 0.7);
    EXPECT_EQ(Tex.SampleGrad(S, at, float2(1 / 8.0, 0), float2(0, 1 / 8.0)), 0.0);
    EXPECT_EQ(Tex.SampleGrad(S, at, float2(1 / 4.0, 0), float2(0, 1 / 8.0)), 10.0);
    EXPECT_EQ(Tex.SampleGrad(S, at, float2(0, 0), float2(0.3, 0.4)), 20.0);
    EXPECT_EQ(Tex.SampleGrad(S, at, float2(0, 0), float2(0, 0)), 0.0);
    EXPECT_EQ(Tex.SampleGrad(S, at, float2(9, 9), float2(0, 0)), 30.0);
}

//--- no-finer-level-is-read-than-the-instruction-allows
//# texture Tex R32_FLOAT 16x16 mips 5: 0*256 10*64 20*16 30*4 40
//# sampler S linear wrap
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float2 at = float2(0.3, 0.7), none = float2(0, 0);
    float2 step = float2(lane % 2, lane / 2 % 2) * 2 / 16.0;
    // The minimum applies regardless of the derivatives.
    EXPECT_EQ(Tex.SampleGrad(S, at, none, none, int2(0, 0), 1.5), 15.0);
    EXPECT_EQ(Tex.Sample(S, step, int2(1, 1), 2.5), 25.0);
    EXPECT_EQ(Tex.SampleBias(S, step, 1, int2(0, 0), 0.5), 20.0);
}

//--- a-sample-takes-its-derivatives-from-the-quad
//# texture Tex R32_FLOAT 16x16 mips 5: 0*256 10*64 20*16 30*4 40
//# sampler S linear wrap
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Square quads whose lanes are two texels apart.
    float2 step = float2(lane % 2, lane / 2 % 2) * 2 / 16.0;
    EXPECT_EQ(Tex.Sample(S, step), 10.0);
    EXPECT_EQ(Tex.Sample(S, step * 4), 30.0);
    EXPECT_EQ(Tex.SampleBias(S, step, 1), 20.0);
    EXPECT_EQ(Tex.SampleBias(S, step, 0.5), 15.0);
    EXPECT_EQ(Tex.Sample(S, (float2)0.25), 0.0);
    EXPECT_EQ(Tex.CalculateLevelOfDetail(S, step), 1.0);
    EXPECT_EQ(Tex.CalculateLevelOfDetail(S, step * 64), 4.0);
    EXPECT_EQ(Tex.CalculateLevelOfDetailUnclamped(S, step * 64), 7.0);
    EXPECT_EQ(Tex.CalculateLevelOfDetailUnclamped(S, step / 8), -2.0);
    EXPECT_EQ(Tex.CalculateLevelOfDetail(S, step / 8), 0.0);
}

//--- a-sample-in-a-quad-that-is-not-whole-here
//# finds incomplete-quad
//# texture Tex R32_FLOAT 16x16 mips 5: 0*256 10*64 20*16 30*4 40
//# sampler S linear wrap
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float2 step = float2(lane % 2, lane / 2 % 2) * 2 / 16.0;
    // A lane alone in its quad has no derivatives.
    if (lane % 4 == 0) EXPECT_EQ(Tex.Sample(S, step), 0.0);
}

//--- anisotropic-filtering-takes-probes-along-the-longer-side
//# texture Tex R32_FLOAT 8x8 mips 4: 0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  0 1 2 3 4 5 6 7  100*16 200*4 300
//# sampler Four anisotropic=4 clamp
//# sampler Two anisotropic=2 clamp
//# sampler One linear clamp
Texture2D<float> Tex;
SamplerState Four, Two, One;
[numthreads(WIDTH, 1, 1)]
void main() {
    float2 wide = float2(4 / 8.0, 0), high = float2(0, 1 / 8.0);
    // Four probes of level 0, one texel apart, around the centre.
    EXPECT_EQ(Tex.SampleGrad(Four, (float2)0.5, wide, high), 3.5);
    EXPECT_EQ(Tex.SampleGrad(Four, float2(1, 0.5), wide, high), 6.75);
    // Two probes reach as far with level 1, one with level 2.
    EXPECT_EQ(Tex.SampleGrad(Two, (float2)0.5, wide, high), 100.0);
    EXPECT_EQ(Tex.SampleGrad(One, (float2)0.5, wide, high), 200.0);
    EXPECT_EQ(Tex.SampleLevel(Four, float2(0.5, 0.5), 0), 3.5);
}

//--- samples-of-integer-textures-are-their-texels
//# texture Tex R32_UINT 2: 7 0xfffffffe
//# sampler S nearest wrap
//# args -T cs_6_7
Texture1D<uint> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.SampleLevel(S, (lane + 0.5) / 2, 0), lane % 2 ? 0xfffffffeu : 7u);
}

//--- a-texture-with-its-sampler-is-sampled-without-naming-one
//# texture Both.texture RG32_FLOAT 2x2 mips 2: 1 10 2 20 3 30 4 40  7 70
//# sampler Both.sampler linear clamp
vk::SampledTexture2D<float2> Both;
float2 through(vk::SampledTexture2D<float2> it, float2 at) { return it.SampleLevel(at, 0); }
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(through(Both, float2(0.5, 0.5)), float2(2.5, 25));
    EXPECT_EQ(Both.SampleLevel(float2(0.5, 0.5), 1).y, 70.0);
    EXPECT_EQ(Both.GatherRed(float2(0.5, 0.5)), float4(3, 4, 2, 1));
    EXPECT_EQ(Both[uint2(1, 0)], float2(2, 20));
    EXPECT_EQ(Both.mips[1][uint2(0, 0)], float2(7, 70));
    EXPECT_EQ(Both.Load(int3(0, 1, 0)), float2(3, 30));
    uint width, height, levels;
    Both.GetDimensions(0, width, height, levels);
    EXPECT_EQ(width + 10 * height + 100 * levels, 222);
}

//--- a-texture-with-its-sampler-is-compared-with-its-other-sampler
//# texture Both.texture R32_FLOAT 2x2: 1 2 3 4
//# sampler Both.sampler linear clamp
//# sampler Both.comparison linear clamp less-equal
vk::SampledTexture2D<float> Both;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Both.SampleCmpLevelZero(float2(0.25, 0.25), 0.5), 1.0);
    EXPECT_EQ(Both.SampleCmpLevelZero(float2(0.25, 0.25), 1.5), 0.0);
    EXPECT_EQ(Both.SampleLevel(float2(0.75, 0.75), 0), 4.0);
}

//--- a-texture-with-its-sampler-is-one-that-is-read
vk::SampledRWTexture2D<float> Wrong; //~ error[unknown-name]
[numthreads(4, 1, 1)]
void main() {}

//--- offsets-of-samples-that-vary
//# args -T cs_6_7
//# texture Tex R32_FLOAT 16x16: 0..256
//# sampler S nearest clamp
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    int2 by = int2(lane % 16, lane / 8 % 16) - 8;
    // The texel (8, 8) and its neighbours.
    float2 at = 8.5 / 16;
    float there = (8 + by.y) * 16 + 8 + by.x;
    EXPECT_EQ(Tex.SampleLevel(S, at, 0, by), there);
}

//--- offsets-that-vary-in-divergent-flow
//# args -T cs_6_7
//# texture Tex R32_FLOAT 16x16: 0..256
//# sampler S nearest clamp
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    int2 by = int2(lane % 16, lane / 8 % 16) - 8;
    // The texel (8, 8) and its neighbours.
    float2 at = 8.5 / 16;
    float there = (8 + by.y) * 16 + 8 + by.x;
    if (lane & 1) EXPECT_EQ(Tex.SampleLevel(S, at, 0, by), there);
}

//--- offsets-that-vary-on-one-axis
//# args -T cs_6_7
//# texture Tex R32_FLOAT 16x16: 0..256
//# texture Row R32_FLOAT 16: 0..16
//# sampler S nearest clamp
Texture2D<float> Tex;
Texture1D<float> Row;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    int2 by = int2(lane % 16, lane / 8 % 16) - 8;
    float2 at = 8.5 / 16;
    EXPECT_EQ(Tex.SampleLevel(S, at, 0, int2(by.x, 1)), 9 * 16 + 8 + by.x);
    EXPECT_EQ(Row.SampleLevel(S, at.x, 0, by.x), 8 + by.x);
}

//--- offsets-that-vary-with-gradients
//# args -T cs_6_7
//# texture Tex R32_FLOAT 16x16: 0..256
//# sampler S nearest clamp
Texture2D<float> Tex;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    int2 by = int2(lane % 16, lane / 8 % 16) - 8;
    // The texel (8, 8) and its neighbours.
    float2 at = 8.5 / 16;
    float there = (8 + by.y) * 16 + 8 + by.x;
    EXPECT_EQ(Tex.SampleGrad(S, at, 0, 0, by), there);
}

//--- offsets-of-comparisons-that-vary
//# args -T cs_6_7
//# texture Tex R32_FLOAT 16x16: 0..256
//# sampler Below nearest clamp less-equal
Texture2D<float> Tex;
SamplerComparisonState Below;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    int2 by = int2(lane % 16, lane / 8 % 16) - 8;
    // The texel (8, 8) and its neighbours.
    float2 at = 8.5 / 16;
    float there = (8 + by.y) * 16 + 8 + by.x;
    // Every other lane compares with more than the texel.
    float more = lane / 2 % 2;
    EXPECT_EQ(Tex.SampleCmpLevelZero(Below, at, there + more, by), 1 - more);
}
