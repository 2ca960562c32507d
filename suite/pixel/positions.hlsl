// Positions that no screen has: infinite, behind the eye, far outside.

//--- an-infinite-position-draws-nothing
//# draw 2x1 vertices 6
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    if (id == 1) v.position.x = asfloat(0x7f800000);
    v.id = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return v.id + 1; }
//= Target f32: 2*8

//--- primitives-behind-the-eye-draw-nothing
//# draw 2x1
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, -1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*8

//--- a-triangle-that-passes-the-eye-is-cut
// One vertex lies behind the eye; what is in front covers the right half of the target.
//# draw 4x1
//# raster DepthStencil: { Func: Always }
struct V { float4 position : SV_Position; float u : U; };
V vs(uint id : SV_VertexID) {
    const float4 corners[3] = { float4(0, 4, 0, 1), float4(0, -4, 0, 1), float4(4, 0, 0, -1) };
    V v;
    v.position = corners[id];
    v.u = corners[id].x;
    return v;
}
float4 ps(V v) : SV_Target {
    EXPECT(v.u >= 0);
    return 1;
}
//= Target f32: 0*8 1*8

//--- positions-far-outside-cover-what-lies-between
//# draw 2x2
struct V { float4 position : SV_Position; float u : U; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3e9 : -1e9, id == 2 ? -3e9 : 1e9, 0, 1);
    v.u = 0.5;
    return v;
}
float4 ps(V v) : SV_Target { return v.u; }
//= Target f32: 0.5*16

//--- points-far-outside-cover-nothing
//# draw 2x1 vertices 3
//# raster Topology: PointList
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 at[3] = { float2(1e6, 0), float2(-1e30, 1e30), float2(0.5, 0) };
    V v;
    v.position = float4(at[id], 0, 1);
    return v;
}
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target { return primitive; }
//= Target f32: 0*4 2*4

//--- a-triangle-without-area-draws-nothing
//# draw 2x2
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(float(id) - 1, float(id) - 1, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*16
