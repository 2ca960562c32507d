// A record of feedback a thread, at pseudo-random places and levels; with SAMPLE, the sample that it describes instead.

Texture2D<float4> T : register(t0);
SamplerState S : register(s0);
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> Map : register(u0);
RWStructuredBuffer<float> Out : register(u1);

uint Mixed(uint x) {
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x = x ^ (x >> 4);
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

float Unit(uint x) { return (Mixed(x) >> 8) * (1.0 / 16777216.0); }

[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    float2 at = float2(Unit(3 * i), Unit(3 * i + 1));
    float level = Unit(3 * i + 2) * 6;
#ifdef SAMPLE
    Out[i & 0xffff] = T.SampleLevel(S, at, level).x;
#else
    Map.WriteSamplerFeedbackLevel(T, S, at, level);
#endif
}
