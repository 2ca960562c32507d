// Targets: formats, slices, viewports, several at once, and the order in which they are written.

//--- srgb-targets-are-encoded
//# draw 1x1
//# target Target RGBA8_UNORM_SRGB
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return float4(0.5, 0, 1, 0.5); }
//= Target u8: 188 0 255 128

//--- srgb-targets-are-blended-as-linear-colours
// Half of white and half of black.
//# draw 1x1
//# raster RenderTargets: [{ Name: Target, Format: RGBA8_UNORM_SRGB, Clear: [1, 1, 1, 1] }]
//# raster Blend: { Src: SrcAlpha, Dst: InvSrcAlpha, SrcAlpha: One, DstAlpha: Zero }
//# target Target RGBA8_UNORM_SRGB
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return float4(0, 0, 0, 0.5); }
//= Target u8: 188 188 188 128

//--- a-vertex-chooses-the-viewport
//# draw 4x1 vertices 9
//# raster DepthStencil: { Func: Always }
//# raster Viewports: [{ X: 0, Width: 1, Height: 1 }, { X: 1, Width: 2, Height: 1 }]
struct V { float4 position : SV_Position; nointerpolation uint viewport : SV_ViewportArrayIndex; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    // The third triangle names a viewport that there is not, and is not drawn.
    v.viewport = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return v.viewport + 1; }
//= Target f32: 1*4 2*8 0*4

//--- a-viewport-beyond-the-last-possible-one-is-the-first
//# draw 2x1
//# raster Viewports: [{ X: 1, Width: 1, Height: 1 }]
struct V { float4 position : SV_Position; nointerpolation uint viewport : SV_ViewportArrayIndex; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.viewport = 16;
    return v;
}
// The shader sees what was written.
float4 ps(V v) : SV_Target { return v.viewport; }
//= Target f32: 0*4 16*4

//--- a-slice-that-is-not-there-is-the-first
//# draw 1x1 slices 2
struct V { float4 position : SV_Position; nointerpolation uint slice : SV_RenderTargetArrayIndex; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.slice = 2;
    return v;
}
float4 ps(V v) : SV_Target { return v.slice; }
//= Target f32: 2*4 0*4

//--- a-second-colour-is-a-factor
// The first output, plus the target times the second one.
//# draw 1x1
//# raster RenderTargets: [{ Name: Target, Format: RGBA32_FLOAT, Clear: [0.5, 1, 2, 4] }]
//# raster Blend: { Src: One, Dst: Src1Color, SrcAlpha: InvSrc1Alpha, DstAlpha: Zero }
#include "fullscreen.hlsli"
struct P { float4 first : SV_Target0; float4 second : SV_Target1; };
P ps(V v) {
    P p;
    p.first = float4(0.25, 0, 1, 2);
    p.second = float4(0.5, 0.25, 0, 0.75);
    return p;
}
//= Target f32: 0.5 0.25 1 0.5

//--- several-targets-are-blended
//# draw 1x1 vertices 6
//# target A R32_FLOAT
//# target B RGBA8_UNORM
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Src: One, Dst: One, SrcAlpha: One, DstAlpha: One }
#include "fullscreen.hlsli"
struct P { float a : SV_Target0; float4 b : SV_Target1; };
P ps(V v) {
    P p;
    p.a = 1.5;
    p.b = float4(0.2, 0.8, 0, 0.4);
    return p;
}
//= A f32: 3
//= B u8: 102 255 0 204

//--- a-shader-decides-on-the-stencil
// The low eight bits of the value are the reference.
//# draw 2x1
//# raster DepthStencil: { Stencil: { Name: Stencil, Ref: 1, Front: { Func: Always, Pass: Replace }, Back: { Func: Always, Pass: Replace } } }
#include "fullscreen.hlsli"
struct P { float4 color : SV_Target; uint stencil : SV_StencilRef; };
P ps(V v) {
    P p;
    p.color = 1;
    p.stencil = 0x105 + uint(v.position.x);
    return p;
}
//= Stencil u8: 5 6

//--- rasterizer-ordered-views-follow-the-primitives
// Three triangles over one pixel, each of which appends a digit.
//# draw 1x1 vertices 9
//# raster DepthStencil: { Func: Always }
//# zero Digits 4
RasterizerOrderedStructuredBuffer<uint> Digits : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target {
    Digits[0] = Digits[0] * 10 + primitive + 1;
    return Digits[0];
}
//= Digits u32: 123
//= Target f32: 123*4
