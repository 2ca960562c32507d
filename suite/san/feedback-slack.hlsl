// The finding `feedback-slack`, and its nearest right neighbour.

//--- feedback-slack
//# san --feedback
//# texture Albedo R8_UNORM 16x16
//# feedback Asked min-mip Albedo 4x4
//# sampler S linear clamp
//# widths 4..32
Texture2D<float4> Albedo;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Asked.WriteSamplerFeedbackLevel(Albedo, S, 4.5 / 16, 0); //? feedback-slack: reason 1, texels of weight 0 may count: (0, 0) 0 instead of none; (1, 0) 0 instead of none; (0, 1) 0 instead of none
}

//--- feedback-slack-not
//# san --feedback
//# texture Albedo R8_UNORM 16x16
//# feedback Asked min-mip Albedo 4x4
//= Asked u8: 0 255*15
//# sampler S linear clamp
//# widths 4..32
Texture2D<float4> Albedo;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Asked.WriteSamplerFeedbackLevel(Albedo, S, 1.75 / 16, 0);
}

//--- feedback-slack-of-a-small-level
//# san --feedback
//# texture Albedo R8_UNORM 64x64 mips 7
//# feedback Asked min-mip Albedo 8x8: 3*8 255*56
//# sampler S nearest clamp
//# widths 4..32
Texture2D<float4> Albedo;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // Levels 4 and above have fewer texels than the map has regions; the first row already has a lower level.
    Asked.WriteSamplerFeedbackLevel(Albedo, S, 0.6, 5); //? feedback-slack: reason 5, levels that are smaller than the map may count as one: (0, 1) 4 instead of none
}

//--- feedback-slack-of-used-regions
//# san --feedback
//# texture Albedo R8_UNORM 16x16 mips 3
//# feedback Asked used Albedo 4x4
//# sampler S nearest clamp
//# widths 4..32
Texture2D<float4> Albedo;
SamplerState S;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIP_REGION_USED> Asked;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // On the edge between two regions.
    Asked.WriteSamplerFeedbackLevel(Albedo, S, float2(8, 6) / 16, 0); //? feedback-slack: (2, 1) of level 0 unused instead of used
}
