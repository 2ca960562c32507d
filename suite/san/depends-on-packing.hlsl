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
