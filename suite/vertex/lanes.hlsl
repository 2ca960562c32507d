// Waves of vertex shaders: a lane for each vertex that is fetched, without reuse, dense over instances.

//--- a-lane-is-a-vertex
//# draw 1x1 vertices 6
//# finds depends-on-packing
//# zero Out 24
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    EXPECT_EQ(WaveGetLaneIndex(), id % WIDTH);
    Out[id] = WaveActiveCountBits(true);
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Out u32 @4: 4*4 2*2
//= Out u32 @8: 6*6
//= Out u32 @128: 6*6

//--- instances-follow-each-other
//# draw 1x1
//# finds depends-on-packing
//# raster Instances: 2
//# zero Out 24
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID, uint instance : SV_InstanceID) {
    EXPECT_EQ(WaveGetLaneIndex(), (instance * 3 + id) % WIDTH);
    Out[instance * 3 + id] = instance * 10 + id;
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v) : SV_Target { return 1; }
//= Out u32: 0 1 2 10 11 12

//--- strips-turn-every-other-triangle
// All triangles of a strip have the same facing.
//# draw 2x1 vertices 4
//# raster Topology: TriangleStrip
//# raster Cull: Back
//# raster Front: Clockwise
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id & 1 ? 1 : -1, id & 2 ? -1 : 1, 0, 1);
    v.id = id;
    return v;
}
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target { return float4(v.id, primitive, 0, 1); }
//= Target f32: 0 0 0 1 1 1 0 1
