// Hull shaders, the tessellator and domain shaders.

//--- a-quad-is-divided-and-drawn
// A quad of 4 by 2 segments covers the target; each vertex has its place in the domain.
//# draw 4x2 vertices 4 patches 4
struct P { float2 at : AT; };
struct Factors { float edges[4] : SV_TessFactor; float insides[2] : SV_InsideTessFactor; float shade : SHADE; };
struct V { float4 position : SV_Position; float2 uv : UV; nointerpolation float shade : SHADE; };
P vs(uint id : SV_VertexID) {
    P p;
    p.at = float2(id & 1, id >> 1);
    return p;
}
Factors constants(InputPatch<P, 4> patch, OutputPatch<P, 4> made, uint id : SV_PrimitiveID) {
    Factors f;
    f.edges[0] = f.edges[2] = 2;
    f.edges[1] = f.edges[3] = 4;
    f.insides[0] = 4;
    f.insides[1] = 2;
    EXPECT_EQ(made[3].at.x, patch[3].at.x + 1);
    f.shade = 5 + id;
    return f;
}
[domain("quad")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(4)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 4> patch, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
    EXPECT_EQ(id, 0);
    P p;
    p.at = patch[i].at + 1;
    return p;
}
[domain("quad")]
V ds(Factors f, float2 uv : SV_DomainLocation, const OutputPatch<P, 4> patch) {
    V v;
    float2 at = lerp(lerp(patch[0].at, patch[1].at, uv.x), lerp(patch[2].at, patch[3].at, uv.x), uv.y) - 1;
    v.position = float4(at.x * 2 - 1, 1 - at.y * 2, 0.5, 1);
    v.uv = uv;
    v.shade = f.shade;
    return v;
}
float4 ps(V v) : SV_Target { return float4(v.uv, v.shade, 1); }
//= Target f32: 0.125 0.25 5 1 0.375 0.25 5 1 0.625 0.25 5 1 0.875 0.25 5 1 0.125 0.75 5 1 0.375 0.75 5 1 0.625 0.75 5 1 0.875 0.75 5 1

//--- lanes-of-tessellation-are-dense-over-patches
// Three patches of three control points: nine lanes of control points, three of patch constants. The second patch is
// culled; a triangle of integer factor 1 has three points.
//# draw 1x1 vertices 9 patches 3
//# finds depends-on-packing
//# zero Out 128
RWStructuredBuffer<uint> Out : register(u0);
struct P { uint id : ID; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; };
struct V { float4 position : SV_Position; };
P vs(uint id : SV_VertexID) {
    P p;
    p.id = id;
    return p;
}
Factors constants(InputPatch<P, 3> patch, uint id : SV_PrimitiveID) {
    EXPECT_EQ(patch[2].id, 3 * id + 2);
    EXPECT_EQ(WaveGetLaneIndex(), id % WIDTH);
    Out[9 + id] = WaveActiveCountBits(true);
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 1;
    if (id == 1) f.edges[2] = 0;
    return f;
}
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_ccw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
    uint lane = 3 * id + i;
    EXPECT_EQ(WaveGetLaneIndex(), lane % WIDTH);
    Out[lane] = WaveActiveCountBits(true);
    return patch[i];
}
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch, uint id : SV_PrimitiveID) {
    uint patches = id == 2 ? 1 : 0;
    uint point_ = uvw.y == 1 ? 0 : uvw.z == 1 ? 1 : 2;
    uint lane = 3 * patches + point_;
    EXPECT_EQ(WaveGetLaneIndex(), lane % WIDTH);
    Out[12 + lane] = 1 + patch[point_].id;
    V v;
    v.position = 0;
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Out u32 @4: 4*8 1 3*3 1 2 3 7 8 9
//= Out u32 @8: 8*8 1 3*3 1 2 3 7 8 9
//= Out u32 @16: 9*9 3*3 1 2 3 7 8 9

//--- isolines-are-drawn-as-lines
//# draw 4x4 vertices 1 patches 1
struct P { float a : A; };
struct Factors { float edges[2] : SV_TessFactor; };
struct V { float4 position : SV_Position; };
P vs(uint id : SV_VertexID) {
    P p;
    p.a = 0;
    return p;
}
Factors constants(InputPatch<P, 1> patch) {
    Factors f;
    f.edges[0] = 2;
    f.edges[1] = 1;
    return f;
}
[domain("isoline")] [partitioning("integer")] [outputtopology("line")] [outputcontrolpoints(1)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 1> patch) { return patch[0]; }
[domain("isoline")]
V ds(Factors f, float2 uv : SV_DomainLocation, const OutputPatch<P, 1> patch) {
    V v;
    v.position = float4(uv.x * 3 - 1.5, 0.75 - 2 * uv.y, 0.5, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*16 0*16 1*16 0*16

//--- a-geometry-shader-follows-the-tessellator
// Each triangle of the divided patch becomes a point at its number.
//# draw 4x1 vertices 4 patches 4 geometry
struct P { float a : A; };
struct Factors { float edges[4] : SV_TessFactor; float insides[2] : SV_InsideTessFactor; };
struct V { float4 position : SV_Position; nointerpolation float shade : SHADE; };
P vs(uint id : SV_VertexID) {
    P p;
    p.a = id;
    return p;
}
Factors constants(InputPatch<P, 4> patch) {
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.edges[3] = 1;
    f.insides[0] = f.insides[1] = 1;
    return f;
}
[domain("quad")] [partitioning("fractional_odd")] [outputtopology("triangle_cw")] [outputcontrolpoints(4)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 4> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("quad")]
V ds(Factors f, float2 uv : SV_DomainLocation, const OutputPatch<P, 4> patch) {
    V v;
    v.position = float4(uv, 0.5, 1);
    v.shade = patch[3].a;
    return v;
}
[maxvertexcount(1)]
void gs(triangle V v[3], inout PointStream<V> stream) {
    V p = v[0];
    // The first corners are (0, 0) and (1, 0).
    p.position = float4(-0.75 + v[0].position.x, 0, 0.5, 1);
    p.shade += v[0].position.x;
    stream.Append(p);
}
float4 ps(V v) : SV_Target { return v.shade; }
//= Target f32: 3*4 0*4 4*4 0*4

//--- waves-of-pixels-behind-a-tessellator
// Two patches of two triangles over the whole target, the second nearer; both triangles of a patch have its number.
//# draw 4x2 vertices 2 patches 1
//# finds depends-on-helpers depends-on-packing
struct P { uint id : ID; };
struct Factors { float edges[4] : SV_TessFactor; float insides[2] : SV_InsideTessFactor; };
P vs(uint id : SV_VertexID) {
    P p;
    p.id = id;
    return p;
}
Factors constants(InputPatch<P, 1> patch) {
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.edges[3] = f.insides[0] = f.insides[1] = 1;
    return f;
}
[domain("quad")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(1)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 1> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("quad")]
float4 ds(Factors f, float2 uv : SV_DomainLocation, const OutputPatch<P, 1> patch) : SV_Position {
    return float4(uv.x * 2 - 1, 1 - uv.y * 2, 0.5 - 0.1 * patch[0].id, 1);
}
float4 ps(uint patch : SV_PrimitiveID) : SV_Target { return WaveActiveSum(1 + patch); }
//= Target f32 @4: 6*8 2*4 6*4 6*4 2*4 6*8
//= Target f32 @8: 8*32
//= Target f32 @16: 16*32
//= Target f32 @32: 24*32
//= Target f32 @64: 24*32
//= Target f32 @128: 24*32
