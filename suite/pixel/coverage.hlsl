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

//--- a-position-that-is-not-a-number-draws-nothing
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

//--- a-clip-distance-that-is-not-a-number-drops-the-primitive
//# draw 2x2
struct V { float4 position : SV_Position; float distance : SV_ClipDistance; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.distance = id == 2 ? asfloat(0x7fc00000) : 1;
    return v;
}
float4 ps(float4 position : SV_Position) : SV_Target { return 1; }
//= Target f32: 0*16

//--- a-cull-distance-that-is-not-a-number-counts-as-negative
//# draw 1x2 vertices 6
struct V { float4 position : SV_Position; float distance : SV_CullDistance; };
V vs(uint id : SV_VertexID) {
    const uint corner = id % 3;
    V v;
    v.position = float4(corner == 1 ? 3 : -1, corner == 2 ? -3 : 1, 0, 1);
    // Of the first triangle all vertices are negative or no number, of the second one is not.
    v.distance = corner == 0 ? asfloat(0x7fc00000) : corner == 1 ? -1 : id < 3 ? -2 : 1;
    return v;
}
float4 ps(float4 position : SV_Position, uint primitive : SV_PrimitiveID) : SV_Target { return primitive; }
//= Target f32: 1*8

//--- positions-are-snapped-to-256-steps-ties-to-even
// 1 1/512 pixels become 256 steps, and 1 3/512 become 258: the point at 258 covers the centre of the second pixel.
//# draw 4x2 vertices 2
//# raster Topology: PointList
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4((id == 0 ? 513.0 : 515.0) / 1024 - 1, 0.5 - id, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*4 0*12 0*4 1*4 0*8

//--- lines-cover-the-diamonds-that-they-leave
// From the centre of (0, 0) to that of (4, 2): it touches the diamonds of (1, 0) and (3, 1) at their bottom corners, which
// belong to them, and those below at their top corners, which do not.
//# draw 8x4 vertices 2
//# raster Topology: LineList
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = id == 0 ? float4(-0.875, 0.75, 0, 1) : float4(0.125, -0.25, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*8 0*24 0*8 1*8 0*16 0*64

//--- a-line-within-a-diamond-covers-nothing
//# draw 4x1 vertices 2
//# raster Topology: LineList
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 0 ? -0.8125 : -0.6875, 0, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*16
