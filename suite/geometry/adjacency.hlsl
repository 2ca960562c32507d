// Geometry shaders that see the neighbours of a primitive.

//--- a-line-has-two-neighbours
// The vertices are those of the list, in its order.
//# draw 1x1 vertices 4 geometry
//# raster Topology: LineListAdj
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(0, 0, 0, 1);
    v.id = 1 + id;
    return v;
}
[maxvertexcount(1)]
void gs(lineadj V v[4], inout PointStream<V> stream) {
    V point = v[0];
    point.id = v[0].id * 1000 + v[1].id * 100 + v[2].id * 10 + v[3].id;
    stream.Append(point);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1234*4

//--- a-triangle-has-three-neighbours
//# draw 1x1 vertices 6 geometry
//# raster Topology: TriangleListAdj
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(0, 0, 0, 1);
    v.id = 1 + id;
    return v;
}
[maxvertexcount(1)]
void gs(triangleadj V v[6], inout PointStream<V> stream) {
    V point = v[0];
    point.id = 0;
    for (uint i = 0; i < 6; i++) point.id = point.id * 10 + v[i].id;
    stream.Append(point);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 123456*4

//--- without-a-geometry-shader-neighbours-are-not-drawn
// Of the line, the two vertices in the middle.
//# draw 4x1 vertices 4
//# raster Topology: LineListAdj
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id * 0.5 - 1.25, 0, 0, 1);
    v.id = id;
    return v;
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1*4 0*12
