// Which pixels and samples a primitive covers.

//--- shared-edges-belong-to-one-triangle
// Both halves of the target count their pixels: each pixel is drawn once.
//# draw 8x8 vertices 6
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Src: One, Dst: One, SrcAlpha: One, DstAlpha: One }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[6] = { float2(-1, 1), float2(1, 1), float2(-1, -1), float2(1, 1), float2(1, -1), float2(-1, -1) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*256

//--- faces-are-culled
//# draw 1x1
//# raster Cull: Front
//# raster Front: Clockwise
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*4

//--- shaders-see-which-face-it-is
// The fullscreen triangle is clockwise on the screen.
//# draw 1x1
//# raster Front: Clockwise
#include "fullscreen.hlsli"
float4 ps(V v, bool front : SV_IsFrontFace) : SV_Target { return front ? 1 : 2; }
//= Target f32: 1*4

//--- a-viewport-scales-and-clips
//# draw 4x1
//# raster Viewports: [{ X: 1, Width: 2, Height: 1, MinDepth: 0.5, MaxDepth: 1 }]
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return float4(v.uv.x, v.position.xz, 1); }
//= Target f32: 0*4 0.25 1.5 0.5 1 0.75 2.5 0.5 1 0*4

//--- a-scissor-clips
//# draw 4x1
//# raster Scissors: [{ Left: 1, Top: 0, Right: 3, Bottom: 9 }]
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*4 1*8 0*4

//--- clip-distances-cut
//# draw 4x1
struct V { float4 position : SV_Position; float distance : SV_ClipDistance; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.distance = id == 1 ? 6 : -2;
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*8 1*8

//--- cull-distances-drop-whole-primitives
//# draw 2x1 vertices 6
//# raster DepthStencil: { Func: Always }
struct V { float4 position : SV_Position; nointerpolation uint number : NUMBER; float distance : SV_CullDistance; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.number = id / 3;
    // Of the second triangle all are negative.
    v.distance = id < 3 ? float(id) - 1 : -1;
    return v;
}
float4 ps(V v) : SV_Target { return v.number + 1; }
//= Target f32: 1*8

//--- a-position-that-is-no-number-draws-nothing
//# draw 2x2
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? asfloat(0x7fc00000) : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*16

//--- points-cover-one-pixel
//# draw 4x1 vertices 2
//# raster Topology: PointList
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 0 ? -0.25 : 0.75, 0, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.position.x; }
//= Target f32: 0*4 1.5*4 0*4 3.5*4

//--- lines-end-before-their-last-pixel
//# draw 4x1 vertices 2
//# raster Topology: LineList
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 0 ? -0.75 : 0.75, 0, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*12 0*4

//--- samples-are-covered-one-by-one
// The left half of the pixel holds two of four samples: the resolved colour is a half.
//# draw 1x1
//# raster Samples: 4
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-9, 9), float2(0, 9), float2(0, -9) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v, uint coverage : SV_Coverage) : SV_Target {
    EXPECT_EQ(countbits(coverage), 2);
    return 1;
}
//= Target f32: 0.5*4

//--- a-shader-runs-for-each-sample
//# draw 1x1
//# raster Samples: 4
//# zero Out 16
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v, uint index : SV_SampleIndex) : SV_Target {
    InterlockedAdd(Out[index], 1u);
    return index;
}
//= Out u32: 1 1 1 1
//= Target f32: 1.5*4

//--- a-sample-mask-hides-samples
//# draw 1x1
//# raster Samples: 4
//# raster SampleMask: 1
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return 4; }
//= Target f32: 1*4

//--- alpha-becomes-coverage
//# draw 1x1
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return float4(1, 1, 1, 0.5); }
//= Target f32: 0.5 0.5 0.5 0.25

//--- a-shader-narrows-the-coverage
//# draw 1x1
//# raster Samples: 4
#include "fullscreen.hlsli"
float4 ps(V v, out uint coverage : SV_Coverage) : SV_Target {
    coverage = 7;
    return 1;
}
//= Target f32: 0.75*4
