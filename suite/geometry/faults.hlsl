// What the sanitizer finds in geometry shaders.

//--- a-member-of-a-vertex-is-not-set
//# draw 1x1 geometry
//# finds uninitialized-value
struct V { float4 position : SV_Position; float a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    v.a = 1;
    return v;
}
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangleStream<V> stream) {
    for (uint i = 0; i < 3; i++) {
        V corner;
        corner.position = v[i].position;
        if (i > 0) corner.a = v[i].a;
        stream.Append(corner);
    }
}
float4 ps(V v) : SV_Target { return v.a; }

//--- a-lane-without-a-primitive-is-read
// Three points are three lanes.
//# draw 4x1 vertices 3 geometry
//# raster Topology: PointList
struct V { float4 position : SV_Position; nointerpolation float a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(-0.75 + 0.5 * id, 0, 0.5, 1);
    v.a = id;
    return v;
}
[maxvertexcount(1)]
void gs(point V v[1], inout PointStream<V> stream) {
    V made = v[0];
    made.a = WaveReadLaneAt(v[0].a, 3); //? inactive-lane-read: lane 3
    stream.Append(made);
}
float4 ps(V v) : SV_Target { return v.a; }

//--- primitives-of-a-wave-share-its-sum
// What a wave has in common depends on the primitives in it.
//# draw 8x1 vertices 8 geometry
//# raster Topology: PointList
//# widths 4 8 16
struct V { float4 position : SV_Position; nointerpolation uint a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4((id + 0.5) / 4 - 1, 0, 0.5, 1);
    v.a = id;
    return v;
}
[maxvertexcount(1)]
void gs(point V v[1], inout PointStream<V> stream) {
    V made = v[0];
    made.a = WaveActiveMax(v[0].a); //? depends-on-packing: primitive 0 gets
    stream.Append(made);
}
float4 ps(V v) : SV_Target { return v.a; }

//--- a-sum-over-all-primitives
// Combined over all waves, so that no packing shows.
//# draw 1x1 vertices 8 geometry
//# raster Topology: PointList
//# zero Sum 4
RWStructuredBuffer<uint> Sum : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(0, 0, 0.5, 1);
    v.a = id;
    return v;
}
[maxvertexcount(1)]
void gs(point V v[1], inout PointStream<V> stream) {
    uint sum = WaveActiveSum(v[0].a);
    if (WaveIsFirstLane()) InterlockedAdd(Sum[0], sum);
    stream.Append(v[0]);
}
float4 ps(V v) : SV_Target { return 1; }
//= Sum u32: 28
//= Target f32: 1*4

//--- instances-race
// Each instance of a geometry shader stores in the same place.
//# draw 1x1 geometry
//# zero Last 4
RWStructuredBuffer<uint> Last : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    return v;
}
[instance(2)] [maxvertexcount(3)]
void gs(triangle V v[3], uint instance : SV_GSInstanceID, inout TriangleStream<V> stream) {
    Last[0] = instance; //? race
    for (uint i = 0; i < 3; i++) stream.Append(v[i]);
}
float4 ps(V v) : SV_Target { return 1; }

//--- numbers-from-a-counter
// In which order primitives get their numbers is unspecified.
//# draw 4x1 vertices 4 geometry
//# raster Topology: PointList
//# zero Next 4
//# widths 4 8
RWStructuredBuffer<uint> Next : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4((id + 0.5) / 2 - 1, 0, 0.5, 1);
    v.a = 0;
    return v;
}
[maxvertexcount(1)]
void gs(point V v[1], inout PointStream<V> stream) {
    V made = v[0];
    InterlockedAdd(Next[0], 1, made.a); //? depends-on-packing: which primitives share a wave
    stream.Append(made);
}
float4 ps(V v) : SV_Target { return v.a; }

//--- a-loop-that-emits-too-often
//# draw 4x1 vertices 4 geometry
//# raster Topology: PointList
//# widths 4
struct V { float4 position : SV_Position; nointerpolation uint a : A; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4((id + 0.5) / 2 - 1, 0, 0.5, 1);
    v.a = id;
    return v;
}
[maxvertexcount(2)]
void gs(point V v[1], inout PointStream<V> stream) {
    uint count = v[0].a + 1; //? out-of-bounds: this bounds the loop that emits
    for (uint k = 0; k < count; ++k) stream.Append(v[0]);
}
float4 ps(V v) : SV_Target { return v.a; }
