// System values and the input assembler.

//--- the-view-is-the-first
//# draw 2x2
//# args -T ps_6_1
#include "fullscreen.hlsli"
float4 ps(V v, uint view : SV_ViewID) : SV_Target { return 1 + view; }
//= Target f32: 1*16

//--- start-locations-are-those-of-the-draw
// Vertices and instances count from 0 beside them.
//# draw 1x1
//# args -T ps_6_8
//# raster Instances: 2
struct V { float4 position : SV_Position; nointerpolation int4 starts : S; };
V vs(uint id : SV_VertexID, uint instance : SV_InstanceID,
     int vertex : SV_StartVertexLocation, uint first : SV_StartInstanceLocation) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5 - 0.25 * instance, 1);
    v.starts = int4(vertex, first, instance, 1);
    return v;
}
float4 ps(V v) : SV_Target { return v.starts; }
//= Target f32: 0 0 1 1

//--- primitives-are-counted-anew-in-each-instance
// A row of points for each instance.
//# draw 2x2 vertices 2
//# raster Topology: PointList
//# raster Instances: 2
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID, uint instance : SV_InstanceID) {
    V v;
    v.position = float4(id - 0.5, 0.5 - instance, 0, 1);
    return v;
}
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target { return 1 + primitive; }
//= Target f32: 1*4 2*4 1*4 2*4

//--- missing-components-of-an-attribute-are-0-and-1
//# draw 1x1
//# raster InstanceBuffer: Inst
//# raster InstanceAttributes: [ { Format: Float32, Channels: 2, Offset: 0, Name: A }, { Format: UInt32, Channels: 1, Offset: 8, Name: B } ]
//# buffer { Name: Inst, Format: Hex32, Channels: 3, Data: [ 0x40400000, 0x40800000, 0x5 ] }
struct V { float4 position : SV_Position; nointerpolation float4 a : A; nointerpolation uint4 b : B; };
V vs(uint id : SV_VertexID, float4 a : A, uint4 b : B) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.a = a;
    v.b = b;
    return v;
}
float4 ps(V v) : SV_Target {
    EXPECT(all(v.b == uint4(5, 0, 0, 1)));
    return v.a;
}
//= Target f32: 3 4 0 1

//--- attributes-beyond-their-buffer-are-0
// There is one instance in the buffer, and two are drawn.
//# draw 1x1
//# raster Instances: 2
//# raster DepthStencil: { Func: Always }
//# raster InstanceBuffer: Inst
//# raster InstanceAttributes: [ { Format: Float32, Channels: 4, Offset: 0, Name: A } ]
//# buffer { Name: Inst, Format: Float32, Channels: 4, Data: [ 5, 6, 7, 8 ] }
//# zero Seen 8
RWStructuredBuffer<uint> Seen : register(u0);
struct V { float4 position : SV_Position; nointerpolation float4 a : A; nointerpolation uint instance : I; };
V vs(uint id : SV_VertexID, uint instance : SV_InstanceID, float4 a : A) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.a = a;
    v.instance = instance;
    return v;
}
float4 ps(V v) : SV_Target {
    Seen[v.instance] = 1 + dot(v.a, 1);
    return v.a;
}
//= Seen u32: 27 1
//= Target f32: 0 0 0 0
