// Every kind of texture, sampler and feedback map, with every overload of its methods; and mistakes with some of them.

//--- every-overload-of-textures-checks
Texture1D<float> t1; Texture1DArray<float2> t1a; Texture2D<float3> t2; Texture2DArray t2a; Texture3D<uint4> t3;
TextureCube<float4> tc; TextureCubeArray<float4> tca; Texture2DMS<float4> ms; Texture2DMSArray<float4, 8> msa;
RWTexture1D<float> w1; RWTexture1DArray<int2> w1a; RWTexture2D<unorm float4> w2; RWTexture2DArray<snorm float2> w2a;
RWTexture3D<uint> w3; RasterizerOrderedTexture2D<float4> ro; RasterizerOrderedBuffer<float> rob;
RasterizerOrderedByteAddressBuffer rob2; RasterizerOrderedStructuredBuffer<uint> ros;
FeedbackTexture2D<SAMPLER_FEEDBACK_MIN_MIP> feedback; FeedbackTexture2DArray<SAMPLER_FEEDBACK_MIP_REGION_USED> feedbacks;
SamplerState s; SamplerComparisonState c; sampler old; sampler2D old2 = sampler_state { Filter = MIN_MAG_MIP_LINEAR; }; //~ warning[initializer-ignored]: `old2`
texture any_texture;
float4 reads(float2 uv, float3 uvw, float4 uvwa, int4 at) {
    uint status;
    float4 r = 0;
    r.x += t1.Sample(s, uv.x) + t1.Sample(s, uv.x, 1) + t1.Sample(s, uv.x, 1, 0.5) + t1.Sample(s, uv.x, 1, 0.5, status);
    r.xy += t1a.Sample(s, uv) + t1a.SampleBias(s, uv, 1) + t1a.SampleLevel(s, uv, 0, 1, status);
    r.xyz += t2.Sample(s, uv, int2(1, 1)) + t2.SampleGrad(s, uv, uv, uv, int2(0, 0), 0, status);
    r += t2a.SampleLevel(s, uvw, 0) + t2a.Gather(s, uvw) + t2a.GatherRed(s, uvw, 0, 1, 2, 3, status);
    r += t3.Sample(s, uvw) + t3.Load(at) + t3.SampleLevel(s, uvw, 1, int3(0, 0, 0));
    r += tc.Sample(s, uvw) + tc.SampleGrad(s, uvw, uvw, uvw) + tca.SampleBias(s, uvwa, 1, 0.5, status) + tc.Gather(s, uvw);
    r.x += t2.SampleCmp(c, uv, 0.5) + t2.SampleCmpLevelZero(c, uv, 0.5, int2(0, 0), status) + tca.SampleCmp(c, uvwa, 0.5);
    r.x += t2.SampleCmpLevel(c, uv, 0.5, 1) + t2.SampleCmpBias(c, uv, 0.5, 1) + t2.SampleCmpGrad(c, uv, 0.5, uv, uv);
    r += t2.GatherCmp(c, uv, 0.5) + t2.GatherCmpRed(c, uv, 0.5, int2(1, 0)) + t2a.GatherAlpha(s, uvw, int2(1, 2));
    r.x += t2.CalculateLevelOfDetail(s, uv) + t2.CalculateLevelOfDetailUnclamped(s, uv) + tc.CalculateLevelOfDetail(s, uvw);
    r += ms.Load(at.xy, 1) + ms.Load(at.xy, 1, int2(0, 0), status) + msa.Load(at.xyz, 2) + ms.sample[1][at.xy] + ms[at.xy];
    r.xyz += t2.Load(at.xyz) + t2.Load(at.xyz, int2(1, 1), status) + t2[at.xy] + t2.mips[2][at.xy];
    r.xy += ms.GetSamplePosition(1);
    r.x += any_texture.Sample(old, uv).x;
    return CheckAccessFullyMapped(status) ? r : 0;
}
void sizes() {
    uint a, b, d, e;
    float f, g, h;
    t1.GetDimensions(a); t1.GetDimensions(0, a, b); t1a.GetDimensions(a, b); t2.GetDimensions(f, g); t2.GetDimensions(0, f, g, h);
    t2a.GetDimensions(a, b, d); t3.GetDimensions(0, a, b, d, e); tc.GetDimensions(a, b); tca.GetDimensions(0, a, b, d, e);
    ms.GetDimensions(a, b, d); msa.GetDimensions(a, b, d, e); w1.GetDimensions(a); w2.GetDimensions(a, b);
    w3.GetDimensions(a, b, d); feedback.GetDimensions(a, b); feedback.GetDimensions(0, a, b, d);
}
void writes(uint2 at) {
    w1[at.x] = 1; w1a[at] = int2(1, 2); w2[at] = 0.5; w2a[uint3(at, 1)].x = 1; w3[uint3(at, 0)] += 1; ro[at] = ro[at] * 2;
    rob[at.x] = 1; rob2.Store(0, 1); ros[0] = 1;
    feedback.WriteSamplerFeedback(any_texture, s, 0.5);
    feedback.WriteSamplerFeedbackBias(any_texture, s, 0.5, 1, 0.5);
    feedback.WriteSamplerFeedbackGrad(any_texture, s, 0.5, 0, 0);
    feedbacks.WriteSamplerFeedbackLevel(t2a, s, 0.5, 2);
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveMax(lane), WIDTH - 1);
}

//--- the-same-in-a-pixel-shader
//# args -T ps_6_6 -E ps
Texture2D<float4> image;
SamplerState s;
float4 ps(float2 uv : UV) : SV_Target {
    Texture2D<float4> dynamic = ResourceDescriptorHeap[NonUniformResourceIndex(uint(uv.x))];
    SamplerState other = SamplerDescriptorHeap[2];
    return image.Sample(s, uv) + dynamic.Sample(other, uv);
}

//--- coordinates-of-the-wrong-size
//# args -T ps_6_0 -E ps
TextureCube<float4> sky;
SamplerState s;
float4 ps(float2 uv : UV) : SV_Target {
    return sky.Sample(s, uv); //~ error[no-matching-function]: must be `float3`
}
//| FILE:6:12: error: `location` of `Sample` must be `float3`, but this is `float2` [no-matching-function]
//|   |
//| 6 |     return sky.Sample(s, uv);
//|   |            ^^^^^^^^^^^^^^^^^
//|   |
//|   = note: `float4 Sample(SamplerState sampler, float3 location)`

//--- a-sampler-of-the-wrong-kind
//# args -T ps_6_0 -E ps
Texture2D<float4> image;
SamplerState s;
float4 ps(float2 uv : UV) : SV_Target {
    return image.SampleCmp(s, uv, 0.5); //~ error[no-matching-function]: must be `SamplerComparisonState`
}
//| FILE:6:12: error: `sampler` of `SampleCmp` must be `SamplerComparisonState`, but this is `SamplerState` [no-matching-function]
//|   |
//| 6 |     return image.SampleCmp(s, uv, 0.5);
//|   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: `float SampleCmp(SamplerComparisonState sampler, float2 location, float compare)`

//--- a-method-of-another-object
//# args -T ps_6_0 -E ps
RWTexture2D<float4> image;
SamplerState s;
float4 ps(float2 uv : UV) : SV_Target {
    return image.Sample(s, uv); //~ error[unknown-name]: has no method `Sample`
}
//| FILE:6:18: error: `RWTexture2D<float4>` has no method `Sample` [unknown-name]
//|   |
//| 6 |     return image.Sample(s, uv);
//|   |                  ^^^^^^
//|   |
//|   = note: its methods are `GetDimensions`, `Load`

//--- a-method-by-a-slip
//# args -T ps_6_0 -E ps
Texture2D<float4> image;
SamplerState s;
float4 ps(float2 uv : UV) : SV_Target {
    return image.SampleLevl(s, uv, 0); //~ error[unknown-name]: has no method `SampleLevl`
}
//| FILE:6:18: error: `Texture2D<float4>` has no method `SampleLevl` [unknown-name]
//|   |
//| 6 |     return image.SampleLevl(s, uv, 0);
//|   |                  ^^^^^^^^^^
//|   |
//|   = help: a similar name is `SampleLevel`
//|   |
//| 6 -     return image.SampleLevl(s, uv, 0);
//| 6 +     return image.SampleLevel(s, uv, 0);

//--- too-many-arguments
//# args -T ps_6_0 -E ps
Texture3D<float4> image;
float4 ps(float2 uv : UV) : SV_Target {
    return image.Load(int4(0, 0, 0, 0), int3(0, 0, 0), 1, 2); //~ error[no-matching-function]: takes 1 or 2 or 3 arguments
}

//--- offsets-into-a-cube
//# args -T ps_6_0 -E ps
TextureCube<float4> sky;
SamplerState s;
float4 ps(float3 uv : UV) : SV_Target {
    return sky.Gather(s, uv, int2(1, 1)); //~ error[no-matching-function]
}

//--- a-texture-has-no-fields
//# args -T ps_6_0 -E ps
Texture2D<float4> image;
float4 ps(float3 uv : UV) : SV_Target {
    return image.x; //~ error[unknown-name]: has no member `x`
}
//| FILE:5:18: error: `Texture2D<float4>` has no member `x` [unknown-name]
//|   |
//| 5 |     return image.x;
//|   |            ----- ^
//|   |            |
//|   |            this is `Texture2D<float4>`

//--- an-object-by-a-slip
//# args -T gs_6_0 -E gs
struct V { float4 at : SV_Position; };
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangelStream<V> stream) {} //~ error[unknown-name]: no type `TriangelStream`
//| FILE:5:32: error: there is no type `TriangelStream` [unknown-name]
//|   |
//| 5 | void gs(triangle V v[3], inout TriangelStream<V> stream) {}
//|   |                                ^^^^^^^^^^^^^^
//|   |
//|   = help: a similar name is `TriangleStream`
//|   |
//| 5 - void gs(triangle V v[3], inout TriangelStream<V> stream) {}
//| 5 + void gs(triangle V v[3], inout TriangleStream<V> stream) {}

//--- a-patch-without-a-size
struct V { float4 at : SV_Position; };
void f(InputPatch<V> patch) {} //~ error[bad-template]: needs the number of its control points
[numthreads(WIDTH, 1, 1)]
void main() {}
//| FILE:3:8: error: `InputPatch` needs the number of its control points: `InputPatch<V, 3>` [bad-template]
//|   |
//| 3 | void f(InputPatch<V> patch) {}
//|   |        ^^^^^^^^^^^^^

//--- a-struct-cannot-inherit-from-one-of-the-language
struct Better : RayDesc {}; //~ error[bad-declaration]: `RayDesc` cannot be a base
[numthreads(WIDTH, 1, 1)]
void main() {}
