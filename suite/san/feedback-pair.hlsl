// The finding `feedback-pair`, and its nearest right neighbour.

//--- feedback-pair
//# texture Albedo R8_UNORM 32x32
//# texture Normals R8_UNORM 32x32
//# feedback Asked min-mip Albedo 8x8
//# sampler S nearest clamp
//# widths 4..32
Texture2D<float4> Albedo, Normals;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 uv = (t + 0.5) / 32;
    Asked.WriteSamplerFeedbackLevel(Normals, S, uv, 0); //? feedback-pair: is not the feedback map of `Normals`
}

//--- feedback-pair-not
//# texture Albedo R8_UNORM 32x32
//# texture Normals R8_UNORM 32x32
//# feedback Asked min-mip Albedo 8x8
//= Asked u8: 0 255 255 255  255 0 255 255
//# sampler S nearest clamp
//# widths 4..32
Texture2D<float4> Albedo, Normals;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 uv = (t + 0.5) / 32;
    Asked.WriteSamplerFeedbackLevel(Albedo, S, uv, 0);
}

//--- feedback-pair-in-some-lanes
// The null descriptor records nothing, and that is defined.
//# texture Albedo R8_UNORM 32x32
//# texture Normals R8_UNORM 32x32
//# feedback Asked min-mip Albedo 8x8
//# feedback None none
//# sampler S nearest clamp
//# widths 4..32
Texture2D<float4> Albedo, Normals;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked, None;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 uv = (t + 0.5) / 32;
    None.WriteSamplerFeedbackLevel(Normals, S, uv, 0);
    if (t % 4 == 3) Asked.WriteSamplerFeedbackLevel(Normals, S, uv, 0); //? feedback-pair: lane 3 records samples of another texture
    Asked.WriteSamplerFeedbackLevel(Albedo, S, uv, 0);
}
