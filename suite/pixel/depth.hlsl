// Depth: bias, near and far plane.

//--- a-depth-bias-counts-in-units-of-the-format
// With 32-bit floats the unit is the last place of the deepest vertex: at 0.5, 2⁻²⁴.
//# draw 1x1
//# raster DepthBias: { Bias: 4194304 }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    EXPECT_EQ(v.position.z, 0.75f);
    return v.position.z;
}
//= Target f32: 0.75*4

//--- a-depth-bias-is-clamped
//# draw 1x1
//# raster DepthBias: { Bias: 4194304, Clamp: 0.125 }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.position.z; }
//= Target f32: 0.625*4

//--- a-negative-clamp-is-the-least-bias
//# draw 1x1
//# raster DepthBias: { Bias: -4194304, Clamp: -0.125 }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.position.z; }
//= Target f32: 0.375*4

//--- a-depth-bias-follows-the-slope
// The depth rises by 1/8 from one pixel to the next.
//# draw 4x1
//# raster DepthBias: { Bias: 0, Slope: 0.5, Clamp: 0 }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, id == 1, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.position.z; }
//= Target f32: 0.125*4 0.25*4 0.375*4 0.5*4

//--- the-unit-of-an-integer-format-is-its-smallest-step
//# draw 1x1
//# raster DepthStencil: { Format: D16_UNORM }
//# raster DepthBias: { Bias: 3 }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return round(v.position.z * 65535); }
//= Target f32: 3*4

//--- points-and-lines-have-no-depth-bias
//# draw 1x1 vertices 1
//# raster Topology: PointList
//# raster DepthBias: { Bias: 4194304, Slope: 4 }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(0, 0, 0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.position.z; }
//= Target f32: 0.5*4

//--- near-and-far-plane-drop-samples
// The depth runs from -0.25 to 1.25; pixels outside of the volume are not covered, and the triangle has no new edges.
//# draw 4x1
//# raster DepthStencil: { Func: Always }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, id == 1 ? 3.5 : -0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    EXPECT(v.position.z >= 0 && v.position.z <= 1);
    return float4(v.position.z, ddx(v.position.z), 0, 1);
}
//= Target f32: 0*4 0.25 0.5 0 1 0.75 0.5 0 1 0*4

//--- the-planes-themselves-are-inside
//# draw 3x1
//# raster DepthStencil: { Func: Always }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, id == 1 ? 2.75 : -0.25, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1 + v.position.z; }
//= Target f32: 1*4 1.5*4 2*4

//--- a-promised-depth-is-tested-as-written
// The first triangle lies in front of what is there, and is written behind it.
//# draw 1x1 vertices 6
//# raster DepthStencil: { Format: D32_FLOAT, Clear: 0.5, Func: Less }
struct V { float4 position : SV_Position; nointerpolation uint primitive : P; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, id < 3 ? 0.25 : 0.375, 1);
    v.primitive = id / 3;
    return v;
}
float4 ps(V v, out float depth : SV_DepthGreaterEqual) : SV_Target {
    depth = v.primitive == 0 ? 0.75 : 0.4375;
    return 1 + v.primitive;
}
//= Target f32: 2*4

//--- a-promised-lower-depth-is-tested-as-written
//# draw 1x1
//# raster DepthStencil: { Format: D32_FLOAT, Clear: 0.5, Func: Less }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.75, 1);
    return v;
}
float4 ps(V v, out float depth : SV_DepthLessEqual) : SV_Target {
    depth = 0.25;
    return 1;
}
//= Target f32: 1*4

//--- the-early-test-takes-the-depth-of-the-primitive
// The shader writes 0.875, but 0.25 is tested and stored, behind which the second triangle lies.
//# draw 1x1 vertices 6
//# raster DepthStencil: { Format: D32_FLOAT, Clear: 0.5, Func: Less }
struct V { float4 position : SV_Position; nointerpolation uint primitive : P; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, id < 3 ? 0.25 : 0.375, 1);
    v.primitive = id / 3;
    return v;
}
[earlydepthstencil]
float4 ps(V v, out float depth : SV_Depth) : SV_Target {
    depth = 0.875;
    return 1 + v.primitive;
}
//= Target f32: 1*4

//--- the-early-test-takes-the-reference-of-the-state
//# draw 2x1
//# raster DepthStencil: { Stencil: { Name: Stencil, Ref: 3, Front: { Func: Always, Pass: Replace }, Back: { Func: Always, Pass: Replace } } }
#include "fullscreen.hlsli"
[earlydepthstencil]
float4 ps(V v, out uint stencil : SV_StencilRef) : SV_Target {
    stencil = 9;
    return 1;
}
//= Target f32: 1*8
//= Stencil u8: 3 3

//--- a-depth-is-clamped-to-the-viewport
// 0.875 would not be less than 0.75.
//# draw 1x1
//# raster DepthStencil: { Format: D32_FLOAT, Clear: 0.75, Func: Less }
//# raster Viewports: [ { X: 0, Y: 0, Width: 1, Height: 1, MinDepth: 0.25, MaxDepth: 0.5 } ]
#include "fullscreen.hlsli"
float4 ps(V v, out float depth : SV_Depth) : SV_Target {
    depth = 0.875;
    return 1;
}
//= Target f32: 1*4

//--- without-depth-clip-depths-are-clamped-behind-the-shader
// One triangle lies before the near plane, one behind the far plane.
//# draw 2x1 vertices 6
//# raster DepthClip: false
//# raster DepthStencil: { Format: D32_FLOAT, Clear: 1, Func: LessEqual }
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    // The left and the right half of the target.
    const float2 corners[3] = { float2(0, 3), float2(1, 3), float2(0.5, -9) };
    V v;
    v.position = float4(corners[id % 3].x - (id < 3 ? 1 : 0), corners[id % 3].y, id < 3 ? -2 : 2, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.position.z; }
//= Target f32: -2*4 2*4
