// Interpolation: modes, places, and the order of operations that makes results exact.

//--- modes-differ-where-w-does
// Weights at the centre are 1/6, 1/6 and 2/3; w is 1, 1 and 2.
//# draw 1x1
struct V {
    float4 position : SV_Position;
    float a : A;
    nointerpolation float b : B;
    noperspective float c : C;
    centroid float d : D;
};
V vs(uint id : SV_VertexID) {
    const float4 corners[3] = { float4(-1, -1, 0.5, 1), float4(1, -1, 0.5, 1), float4(0, 1, 0.5, 2) };
    V v;
    v.position = corners[id];
    v.a = v.b = v.c = v.d = id == 0 ? 12 : 0;
    return v;
}
float4 ps(V v) : SV_Target { return float4(v.a, v.b, v.c, v.d); }
//= Target f32: 3 12 2 3

//--- a-constant-stays-itself
//# draw 8x8
struct V { float4 position : SV_Position; float a : A; };
V vs(uint id : SV_VertexID) {
    const float4 corners[3] = { float4(-1, 1, 0, 1), float4(9, 3, 0, 3), float4(-2, -7, 0, 1.7) };
    V v;
    v.position = corners[id];
    v.a = 0.1;
    return v;
}
float4 ps(V v) : SV_Target {
    EXPECT_EQ(v.a, 0.1f);
    return 1;
}

//--- integers-are-those-of-the-first-vertex
//# draw 2x1 vertices 6
struct V { float4 position : SV_Position; nointerpolation uint id : ID; nointerpolation int2 pair : PAIR; };
V vs(uint id : SV_VertexID) {
    float x = id / 3;
    const float2 corners[3] = { float2(-1, 1), float2(1, 1), float2(-1, -3) };
    V v;
    v.position = float4(x + (corners[id % 3].x - 1) / 2, corners[id % 3].y, 0, 1);
    v.id = id;
    v.pair = int2(-int(id), 7);
    return v;
}
float4 ps(V v) : SV_Target { return float4(v.id, v.pair, 1); }
//= Target f32: 0 0 7 1 3 -3 7 1

//--- the-position-is-that-of-the-pixel
// xy is the centre, z the depth, w the reciprocal of the interpolated 1/w.
//# draw 2x2
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    float2 at = float2(id == 1 ? 3 : -1, id == 2 ? -3 : 1);
    V v;
    v.position = float4(at, 0.25, 1) * 2;
    return v;
}
float4 ps(V v) : SV_Target { return v.position; }
//= Target f32: 0.5 0.5 0.25 2 1.5 0.5 0.25 2 0.5 1.5 0.25 2 1.5 1.5 0.25 2

//--- barycentrics-weigh-the-vertices
//# draw 1x1
//# args -T ps_6_1
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float4 corners[3] = { float4(-1, -1, 0.5, 1), float4(1, -1, 0.5, 1), float4(0, 1, 0.5, 2) };
    V v;
    v.position = corners[id];
    return v;
}
float4 ps(V v, float3 weights : SV_Barycentrics) : SV_Target { return float4(weights * 4, 1); }
//= Target f32: 1 1 2 1

//--- attributes-can-be-read-at-each-vertex
//# draw 1x1
//# args -T ps_6_1
struct V { float4 position : SV_Position; nointerpolation float a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.a = 10 + id;
    return v;
}
float4 ps(V v) : SV_Target {
    return float4(GetAttributeAtVertex(v.a, 0), GetAttributeAtVertex(v.a, 1), GetAttributeAtVertex(v.a, 2), v.a);
}
//= Target f32: 10 11 12 10

//--- attributes-are-evaluated-at-other-places
// Offsets are sixteenths of a pixel; u is the number of the pixel's column.
//# draw 4x1
struct V { float4 position : SV_Position; float u : U; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.u = id == 1 ? 8 : 0;
    return v;
}
float4 ps(V v) : SV_Target {
    return float4(v.u, EvaluateAttributeSnapped(v.u, int2(-8, 0)), EvaluateAttributeSnapped(v.u, int2(4, 7)), EvaluateAttributeCentroid(v.u));
}
//= Target f32: 0.5 0 0.75 0.5 1.5 1 1.75 1.5 2.5 2 2.75 2.5 3.5 3 3.75 3.5

//--- barycentrics-without-perspective-ignore-w
//# draw 1x1
//# args -T ps_6_1
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float4 corners[3] = { float4(-1, -1, 0.5, 1), float4(1, -1, 0.5, 1), float4(0, 2, 0.5, 2) };
    V v;
    v.position = corners[id];
    return v;
}
float4 ps(V v, noperspective float3 weights : SV_Barycentrics) : SV_Target { return float4(weights * 4, 1); }
//= Target f32: 1 1 2 1

//--- a-vertex-beyond-a-line-is-its-last
//# draw 4x1 vertices 2
//# args -T ps_6_1
//# finds out-of-bounds
//# raster Topology: LineList
struct V { float4 position : SV_Position; nointerpolation float a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 0 ? -1 : 1, 0, 0, 1);
    v.a = 10 + id;
    return v;
}
float4 ps(V v) : SV_Target { return float4(GetAttributeAtVertex(v.a, 0), GetAttributeAtVertex(v.a, 2), v.a, 1); }
//= Target f32: 10 11 10 1

//--- a-vertex-beyond-a-point-is-its-only-one
//# draw 1x1 vertices 1
//# args -T ps_6_1
//# finds out-of-bounds
//# raster Topology: PointList
struct V { float4 position : SV_Position; nointerpolation float a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(0, 0, 0, 1);
    v.a = 10;
    return v;
}
float4 ps(V v) : SV_Target { return GetAttributeAtVertex(v.a, 1) + GetAttributeAtVertex(v.a, 2); }
//= Target f32: 20*4

//--- halves-are-interpolated-as-numbers-and-rounded-once
// 1/6, 1/2 and 5/6 as the nearest halves.
//# draw 3x1
//# args -T ps_6_2 -enable-16bit-types
struct V { float4 position : SV_Position; half h : H; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.h = id == 1 ? 2 : 0;
    return v;
}
float4 ps(V v) : SV_Target { return v.h; }
//= Target f32: 0.1666259765625*4 0.5*4 0.83349609375*4
