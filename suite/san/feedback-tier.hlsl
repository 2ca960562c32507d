// The finding `feedback-tier`, and its nearest right neighbour.

//--- feedback-tier
//# texture Albedo R8_UNORM 32x32
//# feedback Asked min-mip Albedo 8x8
//# sampler S nearest wrap v=mirror
//# widths 4..32
Texture2D<float4> Albedo;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 uv = (t + 0.5) / 32;
    Asked.WriteSamplerFeedbackLevel(Albedo, S, uv, 0); //? feedback-tier: `S` has `v=mirror`
    Asked.WriteSamplerFeedbackGrad(Albedo, S, uv + 0.25, 0, 0);
}

//--- feedback-tier-not
//# texture Albedo R8_UNORM 32x32
//# feedback Asked min-mip Albedo 8x8
//= Asked u8: 0 255 255 255  255 0 255 255  255 255 0 255  0 255 255 0
//# sampler S nearest wrap v=clamp
//# widths 4..32
Texture2D<float4> Albedo;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 uv = (t + 0.5) / 32;
    Asked.WriteSamplerFeedbackLevel(Albedo, S, uv, 0);
    Asked.WriteSamplerFeedbackGrad(Albedo, S, uv + 0.25, 0, 0);
}
