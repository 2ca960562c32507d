// Geometry shaders: what they read, and what becomes of the vertices that they emit.

//--- a-triangle-becomes-strips
// A quad for each point: four vertices are two triangles.
//# draw 4x1 vertices 4 geometry
//# raster Topology: PointList
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id, 0, 0, 1);
    v.id = id;
    return v;
}
[maxvertexcount(4)]
void gs(point V v[1], uint primitive : SV_PrimitiveID, inout TriangleStream<V> stream) {
    EXPECT_EQ(primitive, v[0].id);
    V corner;
    corner.id = 10 + v[0].id;
    for (uint i = 0; i < 4; i++) {
        corner.position = float4(-1 + 0.5 * (v[0].position.x + (i & 1)), i & 2 ? -1 : 1, 0.5, 1);
        stream.Append(corner);
    }
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 10*4 11*4 12*4 13*4

//--- a-cut-begins-a-strip
// Six vertices with a cut in the middle are two triangles, not four; incomplete strips vanish.
//# draw 4x1 geometry
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    v.id = id;
    return v;
}
[maxvertexcount(8)]
void gs(triangle V v[3], inout TriangleStream<V> stream) {
    for (uint t = 0; t < 2; t++) {
        for (uint i = 0; i < 3; i++) {
            V corner;
            corner.position = float4(t - 1.0 + (i == 1 ? 2 : 0), i == 2 ? -3 : 1, 0.5, 1);
            corner.id = 1 + t;
            stream.Append(corner);
        }
        stream.RestartStrip();
    }
    stream.Append(v[0]);
    stream.Append(v[1]);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1*4 1*4 1*4 2*4

//--- instances-of-a-geometry-shader-follow-each-other
//# draw 2x1 geometry
//# finds depends-on-packing
//# zero Out 32
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    v.id = 0;
    return v;
}
[instance(4)] [maxvertexcount(3)]
void gs(triangle V v[3], uint instance : SV_GSInstanceID, inout TriangleStream<V> stream) {
    EXPECT_EQ(WaveGetLaneIndex(), instance % WIDTH);
    Out[instance] = WaveActiveCountBits(true);
    for (uint i = 0; i < 3; i++) {
        V corner = v[i];
        corner.position.z = 0.9 - 0.1 * instance;
        corner.id = 1 + instance;
        stream.Append(corner);
    }
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 4*8
//= Out u32: 4 4 4 4

//--- vertices-beyond-the-declared-number-are-dropped
//# draw 1x1 geometry
//# finds out-of-bounds
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    v.id = id;
    return v;
}
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangleStream<V> stream) {
    for (uint i = 0; i < 6; i++) {
        V corner = v[i % 3];
        corner.position.z = i < 3 ? 0.5 : 0.25;
        corner.id = 1 + i;
        if (i == 3) stream.RestartStrip();
        stream.Append(corner);
    }
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1*4

//--- lanes-emit-different-numbers-of-vertices
// Lane i emits i % 3 triangles, in divergent control flow.
//# draw 6x1 vertices 6 geometry
//# finds depends-on-packing
//# raster Topology: PointList
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = 0;
    v.id = id;
    return v;
}
[maxvertexcount(6)]
void gs(point V v[1], inout TriangleStream<V> stream) {
    uint id = v[0].id;
    if (id % 3 == 0) return;
    for (uint t = 0; t < id % 3; t++) {
        // The counts of the lanes that emit a second triangle.
        if (t == 1) EXPECT_EQ(WaveActiveCountBits(true), WIDTH == 4 ? 1 : 2);
        for (uint i = 0; i < 3; i++) {
            V corner;
            corner.position = float4(-1 + id / 3.0 + (i == 1 ? 2 / 3.0 : 0), i == 2 ? -3 : 1, 0.75 - 0.25 * t, 1);
            corner.id = 10 * id + t;
            stream.Append(corner);
        }
        stream.RestartStrip();
    }
}
float4 ps(V v) : SV_Target { return float4(v.id, 0, 0, 0); }
//= Target f32: 0 0 0 0 10 0 0 0 21 0 0 0 0 0 0 0 40 0 0 0 51 0 0 0

//--- lines-come-from-triangles
// The edges that go from left to right, as lines.
//# draw 4x4 geometry
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 1.5 : -1.5, id == 2 ? -0.75 : 0.75, 0.5, 1);
    return v;
}
[maxvertexcount(2)]
void gs(triangle V v[3], inout LineStream<V> stream) {
    stream.Append(v[0]);
    stream.Append(v[1]);
}
float4 ps(V v) : SV_Target { return 2; }
//= Target f32: 2*16 0*48

//--- only-the-first-stream-is-drawn
//# draw 2x1 geometry vertices 1
//# raster Topology: PointList
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
struct Other { float4 a : A; float4 b : B; float c : C; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(-0.5, 0, 0.5, 1);
    v.id = id;
    return v;
}
[maxvertexcount(4)]
void gs(point V v[1], inout PointStream<V> drawn, inout PointStream<Other> other) {
    Other o;
    o.a = o.b = float4(0.5, 0, 0.5, 1);
    o.c = 1;
    other.Append(o);
    V vertex = v[0];
    vertex.id = 3;
    drawn.Append(vertex);
    other.Append(o);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 3*4 0*4

//--- the-number-of-a-primitive-is-what-the-shader-writes
//# draw 1x1 geometry
struct V { float4 position : SV_Position; };
struct G { float4 position : SV_Position; uint id : SV_PrimitiveID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    return v;
}
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangleStream<G> stream) {
    for (uint i = 0; i < 3; i++) {
        G corner;
        corner.position = v[i].position;
        corner.id = 40 + i;
        stream.Append(corner);
    }
}
float4 ps(uint id : SV_PrimitiveID) : SV_Target { return id; }
//= Target f32: 40*4

//--- streams-can-be-passed-to-functions
//# draw 1x1 geometry
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0.5, 1);
    return v;
}
void emit(V v, inout TriangleStream<V> to) { to.Append(v); }
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangleStream<V> stream) {
    for (uint i = 0; i < 3; i++) emit(v[i], stream);
}
float4 ps(V v) : SV_Target { return 6; }
//= Target f32: 6*4

//--- waves-of-pixels-behind-a-geometry-shader
// Two triangles over the whole target, the second nearer; a wave of 16 lanes runs both. Pixels see the numbers that the
// geometry shader gives.
//# draw 4x2 vertices 2 geometry
//# raster Topology: PointList
//# finds depends-on-packing
struct V { uint id : ID; };
struct Corner { float4 position : SV_Position; uint number : SV_PrimitiveID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.id = id;
    return v;
}
[maxvertexcount(3)]
void gs(point V v[1], inout TriangleStream<Corner> stream) {
    for (uint i = 0; i < 3; i++) {
        Corner corner;
        corner.position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5 - 0.1 * v[0].id, 1);
        corner.number = 7 + v[0].id;
        stream.Append(corner);
    }
}
float4 ps(uint number : SV_PrimitiveID) : SV_Target { return WaveActiveSum(number); }
//= Target f32 @4: 32*32
//= Target f32 @8: 64*32
//= Target f32 @16: 120*32
//= Target f32 @32: 120*32
//= Target f32 @64: 120*32
//= Target f32 @128: 120*32
