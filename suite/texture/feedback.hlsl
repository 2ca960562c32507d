// Sampler feedback: which parts of a texture a sample would use. What a write marks is compared with filtering in the
// unit tests of `ops::texture::feedback`; here are the methods, lanes, stages and resources.

//--- levels-that-were-asked-for
//# texture Paired R8_UNORM 16x16 mips 3
//# feedback Map min-mip Paired 4x4
//# feedback Used used Paired 4x4
//# sampler S nearest wrap
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> Used;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Lane 0 requests level 2 at the upper left, lane 1 for level 1 beside it, lane 2 for level 0 at the lower right.
    float2 at = lane == 0 ? float2(0.1, 0.1) : lane == 1 ? float2(0.3, 0.1) : float2(0.9, 0.9);
    if (lane < 3) {
        Map.WriteSamplerFeedbackLevel(Paired, S, at, 2.0 - lane);
        Used.WriteSamplerFeedbackLevel(Paired, S, at, 2.0 - lane);
    }
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
}
//= Map u8: 2 1 255 255  255 255 255 255  255 255 255 255  255 255 255 0
//= Used u8: 0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 255  255 0 0 0  255

//--- the-least-level-stays
//# texture Paired R8_UNORM 16x16 mips 5
//# feedback Map min-mip Paired 8x8: 3 0 255 2
//# feedback Used used Paired 8x8: 0 255 7 0  0 0 0 0
//# sampler S nearest clamp
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> Used;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Each of four lanes writes every region, from other levels on.
    [loop]
    for (uint i = 0; i < 4 && lane < 4; i++) {
        float2 at = float2(i & 1, i / 2) * 0.5 + 0.2;
        Map.WriteSamplerFeedbackLevel(Paired, S, at, 1 + ((lane + i) & 3));
    }
    if (lane == 0) Used.WriteSamplerFeedbackLevel(Paired, S, 0.1, 4);
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= Map u8: 1 0 1 1
//= Used u8: 0 255 255 0  0 0 0 255

//--- gradients-choose-levels
//# texture Paired R8_UNORM 32x32 mips 6
//# feedback Map min-mip Paired 8x8
//# sampler S linear mip=nearest clamp
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float texel = 1.0 / 32;
    if (lane == 0) Map.WriteSamplerFeedbackGrad(Paired, S, float2(0.125, 0.125), float2(texel, 0), float2(0, texel));
    if (lane == 1) Map.WriteSamplerFeedbackGrad(Paired, S, float2(0.375, 0.125), float2(4 * texel, 0), float2(0, texel));
    // The instruction's limit.
    if (lane == 2) Map.WriteSamplerFeedbackGrad(Paired, S, float2(0.625, 0.125), float2(texel, 0), float2(0, texel), 3.0);
    // A level between two of them: the smaller number.
    if (lane == 3) Map.WriteSamplerFeedbackGrad(Paired, S, float2(0.875, 0.125), float2(3.9 * texel, 0), 0);
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= Map u8: 0 2 3 1  255*12

//--- probes-just-before-a-region
//# texture Paired R8_UNORM 17x64 mips 2
//# feedback Map min-mip Paired 4x8
//# sampler S linear clamp anisotropic=2 lod=1..1
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // The upper probe is just behind x = 4/17, where the second region begins, the lower one just before it: so near that
    // its place of 8 texels, in doubles, times 17 would be rounded to the region's start.
    float2 at = float2(asfloat(0x3e70f0f1), 17.0 / 32);
    float2 along = float2(asfloat(0xb170f0f1), 0.5);
    if (lane == 0) Map.WriteSamplerFeedbackGrad(Paired, S, at, along, 0);
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= Map u8: 255*15  255 1 255*3  255*5  1 1 255*3  255*10

//--- layers-and-arrays-of-maps
//# texture Paired R8_UNORM 8x8 layers 3
//# feedback Maps[0] min-mip Paired 4x4
//# feedback Maps[1] min-mip Paired 4x4
//# feedback Maps[2] none
//# sampler S nearest clamp
Texture2DArray<float4> Paired;
SamplerState S;
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIN_MIP> Maps[3];
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float layers[4] = { -1, 0.5, 1.5, 7 };
    // Lanes name different maps; the last is the null descriptor.
    if (lane < 4) {
        float3 at = float2(lane & 1, lane / 2).xyy * 0.5 + 0.1;
        at.z = layers[lane];
        Maps[NonUniformResourceIndex(lane & 1)].WriteSamplerFeedbackLevel(Paired, S, at, 0);
        Maps[2].WriteSamplerFeedbackLevel(Paired, S, at, 0);
    }
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= Maps[0] u8: 0 255 255 255  255 255 255 255  255 255 0 255
//= Maps[1] u8: 255 0 255 255  255 255 255 255  255 255 255 0

//--- another-texture-marks-nothing
//# finds feedback-pair
//# texture Paired R8_UNORM 8x8
//# texture Other R8_UNORM 8x8
//# feedback Map min-mip Paired 4x4
//# sampler S nearest clamp
Texture2D<float4> Paired, Other;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    if (lane == 0) Map.WriteSamplerFeedbackLevel(Other, S, 0.1, 0);
    if (lane == 0) Map.WriteSamplerFeedbackLevel(Paired, S, 0.9, 0);
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= Map u8: 255 255 255 0

//--- maps-have-the-size-of-their-texture
//# texture Paired R8_UNORM 20x12 mips 3
//# texture Layers R8_UNORM 16x8 layers 5
//# feedback Map min-mip Paired 4x4
//# feedback Maps used Layers 8x4
Texture2D<float4> Paired;
Texture2DArray<float4> Layers;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> Maps;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint width, height, layers, levels;
    Map.GetDimensions(width, height);
    EXPECT_EQ(width, 20);
    EXPECT_EQ(height, 12);
    Map.GetDimensions(1, width, height, levels);
    EXPECT_EQ(width, 10);
    EXPECT_EQ(height, 6);
    EXPECT_EQ(levels, 3);
    Maps.GetDimensions(width, height, layers);
    EXPECT_EQ(layers, 5);
    Maps.GetDimensions(0, width, height, layers, levels);
    EXPECT_EQ(width * 100 + height * 10 + levels, 1681);
}

//--- maps-in-the-heap
//# args -T cs_6_6
//# texture Paired R8_UNORM 8x8
//# feedback ResourceDescriptorHeap[1] used Paired 4x4
//# in ResourceDescriptorHeap[2] u32: 1 2 3 4
//# sampler S nearest clamp
Texture2D<float4> Paired;
SamplerState S;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> map = ResourceDescriptorHeap[1];
    if (lane == 0) map.WriteSamplerFeedbackLevel(Paired, S, float2(0.9, 0.1), 0);
    // A map of the other kind, and a buffer.
    FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> other = ResourceDescriptorHeap[1];
    if (lane == 0) other.WriteSamplerFeedbackLevel(Paired, S, float2(0.1, 0.1), 0);
    FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> none = ResourceDescriptorHeap[2];
    if (lane == 0) none.WriteSamplerFeedbackLevel(Paired, S, float2(0.1, 0.1), 0);
    RWByteAddressBuffer words = ResourceDescriptorHeap[2];
    if (lane == 0) words.Store(0, 9);
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= ResourceDescriptorHeap[1] u8: 0 255 0 0
//= ResourceDescriptorHeap[2] u32: 9 2 3 4

//--- only-lanes-that-run-write
//# texture Paired R8_UNORM 64x8
//# feedback Map min-mip Paired 4x4
//# sampler S nearest clamp
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // A loop that lanes leave at different times.
    for (uint i = 0; i < 4; i++) {
        if (lane == i) break;
        if (lane < 3) Map.WriteSamplerFeedbackLevel(Paired, S, float2((4 * lane + i + 0.5) / 16, 0.9), 0);
    }
    EXPECT_EQ(lane, WaveGetLaneIndex());
}
//= Map u8: 255*16  255 255 255 255  0 255 255 255  0 0 255 255  255 255 255 255

//--- feedback-by-derivatives-is-for-pixel-shaders
//# args -T cs_6_6
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main() {
    Map.WriteSamplerFeedback(Paired, S, 0.5); //~ error[wrong-stage]: `WriteSamplerFeedback` is only available in pixel shaders
    Map.WriteSamplerFeedbackBias(Paired, S, 0.5, 1); //~ error[wrong-stage]: `WriteSamplerFeedbackBias` is only available in pixel shaders
}

//--- kinds-of-feedback
FeedbackTexture2D A; //~ error[bad-template]: `FeedbackTexture2D` needs a kind of feedback in `< >`
FeedbackTexture2D<2> B; //~ error[bad-template]: 2 is not a kind of sampler feedback
FeedbackTexture2DArray<float> C; //~ error[bad-template]: expected a number
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP, 1> D; //~ error[bad-template]: takes 1 template argument
[numthreads(WIDTH, 1, 1)]
void main() {}

//--- arguments-of-feedback
Texture2D<float4> Paired;
Texture2DArray<float4> Layers;
RWTexture2D<float4> Written;
SamplerState S;
SamplerComparisonState Compares;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main() {
    Map.WriteSamplerFeedbackLevel(Paired, Compares, 0.5, 0); //~ error[no-matching-function]: must be `SamplerState`
    Map.WriteSamplerFeedbackLevel(Layers, S, 0.5, 0); //~ error[no-matching-function]: must be a `Texture2D`
    Map.WriteSamplerFeedbackLevel(Written, S, 0.5, 0); //~ error[no-matching-function]: must be a `Texture2D`
    Map.WriteSamplerFeedbackLevel(Paired, S, 0.5, 0, 0.5); //~ error[no-matching-function]: takes 4 arguments
    Map.WriteSamplerFeedbackGrad(Paired, S, 0.5, 0, 0, 0, int2(0, 0)); //~ error[no-matching-function]: takes 5 or 6 arguments
    Map.Load(int3(0, 0, 0)); //~ error[unknown-name]: has no method `Load`
    float4 texel = Map[uint2(0, 0)]; //~ error[type-mismatch]: a `FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP>` cannot be indexed
}

//--- maps-take-registers-of-writable-resources
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map : register(t0); //~ error[bad-register]
[numthreads(WIDTH, 1, 1)]
void main() {}

//--- feedback-needs-shader-model-6-5
//# args -T cs_6_4
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
[numthreads(WIDTH, 1, 1)]
void main() {
    Map.WriteSamplerFeedbackLevel(Paired, S, 0.5, 0); //~ error[needs-shader-model]
}
