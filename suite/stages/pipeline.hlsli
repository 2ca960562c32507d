// The shaders of a rasterization pipeline, for the sections of rasterization.hlsl.
#ifndef PIPELINE
#define PIPELINE

struct Vertex {
    float3 position : POSITION;
    float2 uv : TEXCOORD0;
};

struct Varying {
    float4 position : SV_Position;
    linear centroid float2 uv : TEXCOORD0;
    nointerpolation uint id : ID;
    noperspective sample float3 normal : NORMAL;
    float clip[2] : SV_ClipDistance;
};

Texture2D<float4> color : register(t0);
Texture2DMS<float4, 4> samples : register(t1);
SamplerState linear_sampler : register(s0);
SamplerComparisonState shadow_sampler : register(s1);
cbuffer Camera : register(b0) {
    float4x4 view;
};

[RootSignature("CBV(b0), DescriptorTable(SRV(t0, numDescriptors = 2))")]
Varying vs(Vertex vertex, uint id : SV_VertexID, uint instance : SV_InstanceID) {
    Varying result = (Varying)0;
    result.position = mul(view, float4(vertex.position, 1));
    result.uv = vertex.uv;
    result.id = id + instance;
    return result;
}

struct Pixel {
    float4 color : SV_Target0;
    uint4 other : SV_Target1;
    float depth : SV_DepthGreaterEqual;
};

[earlydepthstencil]
Pixel ps(Varying v, bool front : SV_IsFrontFace, uint which : SV_SampleIndex, inout uint coverage : SV_Coverage,
         float3 weights : SV_Barycentrics) {
    Pixel pixel = (Pixel)0;
    if (v.uv.x < 0) discard;
    clip(v.uv);
    pixel.color = color.Sample(linear_sampler, v.uv) + samples.Load(int2(v.position.xy), which);
    pixel.color.x += ddx(v.uv.x) + GetAttributeAtVertex(v.id, 1) + EvaluateAttributeSnapped(v.normal, int2(1, 1)).x;
    pixel.color.y += samples.GetSamplePosition(which).y + GetRenderTargetSamplePosition(0).x;
    pixel.depth = front ? weights.x : v.position.z;
    return pixel;
}

struct Point {
    float3 position : POSITION;
    float2 uv : TEXCOORD;
};

struct Factors {
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
    float3 center : CENTER;
};

Factors patch_constants(InputPatch<Point, 3> patch, uint id : SV_PrimitiveID) {
    Factors factors;
    float3 edges;
    float rounded, unrounded;
    ProcessTriTessFactorsMax(float3(1, 2, 3), 0.5, edges, rounded, unrounded);
    factors.edges[0] = edges.x;
    factors.edges[1] = edges.y;
    factors.edges[2] = edges.z;
    factors.inside = rounded;
    factors.center = (patch[0].position + patch[1].position + patch[2].position) / patch.Length + id;
    return factors;
}

[domain("tri")]
[partitioning("fractional_odd")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("patch_constants")]
[maxtessfactor(15.5)]
Point hs(InputPatch<Point, 3> patch, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
    Point result = patch[i];
    result.uv += id;
    return result;
}

[domain("tri")]
Varying ds(Factors factors, float3 where : SV_DomainLocation, const OutputPatch<Point, 3> patch) {
    Varying result = (Varying)0;
    float3 at = patch[0].position * where.x + patch[1].position * where.y + patch[2].position * where.z;
    result.position = float4(at * factors.inside, 1);
    return result;
}

struct Line {
    float4 position : SV_Position;
    uint layer : SV_RenderTargetArrayIndex;
};

[maxvertexcount(4)]
[instance(2)]
void gs(triangleadj Varying input[6], uint id : SV_PrimitiveID, uint which : SV_GSInstanceID, inout PointStream<Line> lines,
        inout PointStream<Varying> points) {
    [unroll] for (uint i = 0; i < 4; i++) {
        Line l;
        l.position = input[i].position;
        l.layer = which + id;
        lines.Append(l);
    }
    lines.RestartStrip();
    points.Append(input[0]);
}

struct Payload {
    uint meshlets[32];
};

groupshared Payload payload_;

[numthreads(32, 1, 1)]
void as(uint i : SV_GroupThreadID, uint3 group : SV_GroupID) {
    payload_.meshlets[i] = group.x + WavePrefixCountBits(i > 3);
    DispatchMesh(WaveActiveCountBits(true), 1, 1, payload_);
}

struct Primitive {
    uint id : SV_PrimitiveID;
    bool hidden : SV_CullPrimitive;
};

[outputtopology("triangle")]
[numthreads(64, 1, 1)]
void ms(uint i : SV_GroupIndex, in payload Payload meshlets, out vertices Varying verts[64], out indices uint3 triangles[126],
        out primitives Primitive prims[126]) {
    SetMeshOutputCounts(64, 126);
    verts[i] = (Varying)0;
    verts[i].position = meshlets.meshlets[i & 31];
    triangles[i] = uint3(i, i + 1, i + 2);
    prims[i].id = i;
    prims[i].hidden = false;
}

#endif
