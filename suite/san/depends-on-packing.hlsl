// Results that depend on which pixels, or vertices, share a wave.

//--- the-share-of-a-wave
//# draw 4x4
//# zero Count 4
//# widths 8 16 32
RWStructuredBuffer<uint> Count : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint pixels = WaveActiveCountBits(true); //? depends-on-packing: `Target` depends on which quads share a wave
    if (WaveIsFirstLane()) InterlockedAdd(Count[0], pixels);
    return pixels;
}
//= Count u32: 16

//--- the-sum-of-all-waves
//# draw 4x4
//# zero Count 4
//# widths 8 16 32
RWStructuredBuffer<uint> Count : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint pixels = WaveActiveCountBits(true);
    if (WaveIsFirstLane()) InterlockedAdd(Count[0], pixels);
    return 1;
}
//= Count u32: 16
//= Target f32: 1*64

//--- a-packing-that-is-meant-to-show
//# draw 4x4
//# widths 16 32 64
//# san --width-dependent=Target
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return WaveActiveSum(1u);
}
//= Target f32: 16*64

//--- primitives-that-share-a-wave
//# draw 2x2 vertices 6
//# widths 8 16 32
//# san --orders=packing=per-primitive
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[6] = {
        float2(-1, 1), float2(1, 1), float2(-1, -1), float2(1, 1), float2(1, -1), float2(-1, -1),
    };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    return WaveActiveSum(1.0f); //? depends-on-packing: which quads share a wave
}

//--- pixels-that-are-hidden
// A machine may drop the second triangle before its pixels run.
//# draw 2x2 vertices 6
//# widths 8 16 32
//# san --orders=early-z
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, id / 3 * 0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    return WaveActiveSum(1.0f); //? depends-on-packing: hidden pixels
}

//--- a-lane-taken-for-a-vertex
//# draw 2x2 vertices 3
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    id = WaveGetLaneIndex(); //? depends-on-packing: which vertices share a wave
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v, bool is_front : SV_IsFrontFace) : SV_Target {
    return is_front;
}

//--- the-greatest-of-a-wave-that-every-wave-has
// Waves of 16 lanes all hold the first point of some patch; a wave of fewer need not.
//# draw 2x2 vertices 9 patches 3
//# widths 16
struct P { float2 at : AT; };
struct V { float4 position : SV_Position; float a : A; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
P vs(uint id : SV_VertexID) {
    P p;
    p.at = float2(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1);
    return p;
}
Factors constants(InputPatch<P, 3> patch) {
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 3;
    return f;
}
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    V v;
    v.position = float4(patch[0].at * uvw.x + patch[1].at * uvw.y + patch[2].at * uvw.z, 0, 1);
    v.a = uvw.x / WaveActiveMax(uvw.x); //? depends-on-packing: patches=one-lane
    return v;
}
float4 ps(V v) : SV_Target { return v.a; }

//--- a-vertex-by-its-number
//# draw 2x2 vertices 3
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v, bool is_front : SV_IsFrontFace) : SV_Target {
    return is_front;
}
//= Target f32: 0*16

//--- vertices-that-are-counted
// How often a vertex with two indices runs is not specified.
//# draw 2x2 vertices 6
//# buffer { Name: Idx, Format: UInt32, Data: [0, 1, 2, 2, 1, 0] }
//# zero Count 4
//# san --orders=vertices=reuse
//# raster IndexBuffer: { Name: Idx, Format: UInt32 }
RWStructuredBuffer<uint> Count : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    InterlockedAdd(Count[0], 1); //? depends-on-packing: how often each runs
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    return 1;
}
