// Sampler feedback in pixel shaders: levels by derivatives of quads, in which helper lanes take part without writing.

//--- pixels-ask-for-the-level-of-their-quad
//# draw 4x4
//# texture Paired R8_UNORM 16x16 mips 5
//# feedback Map min-mip Paired 4x4
//# feedback Finer min-mip Paired 8x8
//# feedback Limited min-mip Paired 8x8
//# sampler S nearest clamp
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map, Finer, Limited;
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    // Four texels from pixel to pixel.
    float2 uv = v.position.xy / 4;
    Map.WriteSamplerFeedback(Paired, S, uv);
    Finer.WriteSamplerFeedbackBias(Paired, S, uv, -1);
    if (v.position.x < 2) Limited.WriteSamplerFeedback(Paired, S, uv, 3.0);
    return 0;
}
//= Map u8: 2*16
//= Finer u8: 1 1 1 1
//= Limited u8: 3 255 3 255

//--- helper-lanes-write-no-feedback
// A triangle that covers the pixel (0, 0) alone: the other lanes of the quad are helpers.
//# draw 2x2
//# texture Paired R8_UNORM 16x16 mips 5
//# feedback Map min-mip Paired 4x4
//# feedback Used used Paired 8x8
//# sampler S nearest clamp
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> Used;
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-1, 1), float2(0.25, 1), float2(-1, -0.25) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    // Eight texels from pixel to pixel: level 3.
    Map.WriteSamplerFeedback(Paired, S, v.position.xy / 2);
    Used.WriteSamplerFeedbackLevel(Paired, S, v.position.xy / 2, 0);
    return 0;
}
//= Map u8: 255*5 3 255*10
//= Used u8: 255 0 0 0  0 0 0 0

//--- discarded-lanes-write-no-feedback
//# draw 2x2
//# texture Paired R8_UNORM 16x16 mips 5
//# feedback Map min-mip Paired 8x8
//# sampler S nearest clamp
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map;
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x < 1) discard;
    Map.WriteSamplerFeedback(Paired, S, v.position.xy / 2);
    return 0;
}
//= Map u8: 255 3 255 3

//--- a-constant-bias-is-limited
//# draw 2x2
//# texture Paired R8_UNORM 16x16 mips 5
//# feedback Constant min-mip Paired 8x8
//# feedback Varying min-mip Paired 8x8
//# sampler S nearest wrap
Texture2D<float4> Paired;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Constant, Varying;
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    // 2^18 texels from pixel to pixel: level 18, and level 2 with the least bias.
    float2 uv = v.position.xy * 16384;
    Constant.WriteSamplerFeedbackBias(Paired, S, uv, -100);
    Varying.WriteSamplerFeedbackBias(Paired, S, uv, -100 * saturate(v.position.x + 1));
    return 0;
}
//= Constant u8: 2 255 255 255
//= Varying u8: 0 255 255 255
