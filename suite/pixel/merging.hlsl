// The output merger: depth, stencil, blending, masks, and several targets.

//--- depth-keeps-what-is-nearer
// The second triangle is farther away, the third one nearer.
//# draw 1x1 vertices 9
struct V { float4 position : SV_Position; nointerpolation float number : NUMBER; };
V vs(uint id : SV_VertexID) {
    const float depths[3] = { 0.5, 0.75, 0.25 };
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, depths[id / 3], 1);
    v.number = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return v.number + 1; }
//= Target f32: 3 3 3 3

//--- equal-depths-are-not-less
//# draw 1x1 vertices 6
struct V { float4 position : SV_Position; nointerpolation float number : NUMBER; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0.5, 1);
    v.number = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return v.number + 1; }
//= Target f32: 1*4

//--- a-pixel-is-shaded-before-the-late-test
// Both triangles count their pixels, though the second one is hidden.
//# draw 2x2 vertices 6
//# zero Out 4
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    InterlockedAdd(Out[0], 1u);
    return 1;
}
//= Out u32: 8

//--- the-early-test-comes-first
//# draw 2x2 vertices 6
//# zero Out 4
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
[earlydepthstencil]
float4 ps(V v) : SV_Target {
    InterlockedAdd(Out[0], 1u);
    return 1;
}
//= Out u32: 4

//--- a-shader-decides-on-the-depth
//# draw 2x1 vertices 6
#include "fullscreen.hlsli"
float4 ps(V v, uint primitive : SV_PrimitiveID, out float depth : SV_Depth) : SV_Target {
    // The first triangle is near on the left, the second one on the right.
    depth = (v.position.x < 1) == (primitive == 0) ? 0.25 : 0.5;
    return primitive + 1;
}
//= Target f32: 1*4 2*4

//--- colours-are-blended
//# draw 1x1 vertices 6
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Src: SrcAlpha, Dst: InvSrcAlpha, SrcAlpha: One, DstAlpha: One }
#include "fullscreen.hlsli"
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target {
    return primitive == 0 ? float4(1, 0, 0.5, 1) : float4(0, 1, 0, 0.25);
}
//= Target f32: 0.75 0.25 0.375 1.25

//--- operations-of-blending
//# draw 1x1 vertices 6
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Src: One, Dst: One, Op: RevSubtract, SrcAlpha: One, DstAlpha: One, OpAlpha: Max }
#include "fullscreen.hlsli"
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target {
    return primitive == 0 ? float4(4, 5, 6, 7) : float4(1, 1, 1, 3);
}
//= Target f32: -5 -6 -7 7

//--- a-mask-protects-components
//# draw 1x1
//# raster Blend: { WriteMask: 5 }
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return 2; }
//= Target f32: 2 0 2 0

//--- logic-operations-work-on-bits
//# draw 1x1 vertices 6
//# target Target R32_UINT
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Logic: Xor }
#include "fullscreen.hlsli"
uint ps(V v, uint primitive : SV_PrimitiveID) : SV_Target { return primitive == 0 ? 0xff00 : 0x0ff0; }
//= Target u32: 0xf0f0

//--- several-targets-are-written
//# draw 1x1
//# target A R32_FLOAT
//# target B RGBA8_UNORM
//# target C R32_UINT
#include "fullscreen.hlsli"
struct Out { float a : SV_Target0; float4 b : SV_Target1; uint c : SV_Target2; };
Out ps(V v) {
    Out o;
    o.a = 1.5;
    o.b = float4(1, 0.5, 0, 2);
    o.c = 7;
    return o;
}
//= A f32: 1.5
//= B u8: 255 128 0 255
//= C u32: 7

//--- an-output-that-is-not-declared-leaves-its-target
//# draw 1x1
//# raster RenderTargets: [{ Name: A, Format: R32_FLOAT, Clear: [5, 0, 0, 0] }, { Name: B, Format: R32_FLOAT, Clear: [6, 0, 0, 0] }]
//# target A R32_FLOAT
//# target B R32_FLOAT
#include "fullscreen.hlsli"
float ps(V v) : SV_Target1 { return 1; }
//= A f32: 5
//= B f32: 1

//--- a-stencil-counts-and-stops
// Front faces increment, so that only the first two triangles pass the test.
//# draw 1x1 vertices 9
//# raster DepthStencil: { Func: Always, Stencil: { Name: Stencil, Ref: 2, Front: { Func: Greater, Pass: Incr }, Back: { Func: Greater, Pass: Incr } } }
#include "fullscreen.hlsli"
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target { return primitive + 1; }
//= Target f32: 2*4
//= Stencil u8: 2

//--- each-stencil-operation
//# draw 1x1
//# raster DepthStencil: { Func: Never, Stencil: { Name: Stencil, Clear: 0x0f, Ref: 7, Front: { DepthFail: Invert }, Back: { DepthFail: Invert } } }
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return 1; }
//= Stencil u8: 0xf0
//= Target f32: 0*4

//--- slices-are-chosen-by-the-vertex-shader
//# draw 1x1 vertices 6 slices 2
struct V { float4 position : SV_Position; nointerpolation uint slice : SV_RenderTargetArrayIndex; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.slice = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return v.slice + 1; }
//= Target f32: 1*4 2*4
