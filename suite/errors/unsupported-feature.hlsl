// What is not built yet is said where it is used, and nowhere else.

//--- a-texture-that-is-used
Texture2D<float4> image;
SamplerState linear_sampler;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 c = image.SampleLevel(linear_sampler, float2(0, 0), 0); //~ unsupported[unsupported-feature]: SampleLevel
}
