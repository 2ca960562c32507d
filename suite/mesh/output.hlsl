// Mesh shaders: what a group leaves, and what becomes of it.

//--- a-group-outputs-vertices-and-primitives
// Two triangles that tile the target, with an attribute of vertices.
//# draw 2x2 mesh 1,1,1
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
[numthreads(4, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[4], out indices uint3 tris[2]) {
    SetMeshOutputCounts(4, 2);
    verts[i].position = float4(i & 1 ? 1 : -1, i & 2 ? -1 : 1, 0, 1);
    verts[i].id = 10 + i;
    if (i < 2) tris[i] = i == 0 ? uint3(0, 1, 2) : uint3(3, 2, 1);
}
float4 ps(V v) : SV_Target { return float4(v.id, v.position.xy, 1); }
//= Target f32: 10 0.5 0.5 1 13 1.5 0.5 1 13 0.5 1.5 1 13 1.5 1.5 1

//--- groups-of-primitives-are-in-order
// The groups of a dispatch draw over each other, x fastest; the last one wins.
//# draw 1x1 mesh 3,2,2
struct V { float4 position : SV_Position; nointerpolation uint3 group : G; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupThreadID, uint3 group : SV_GroupID, uint3 all : SV_DispatchThreadID,
        out vertices V verts[3], out indices uint3 tris[1]) {
    EXPECT_EQ(all.x, group.x * 3 + i);
    EXPECT_EQ(all.y, group.y);
    EXPECT_EQ(all.z, group.z);
    SetMeshOutputCounts(3, 1);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.9 - 0.1 * (group.x + 2 * group.y + 4 * group.z), 1);
    verts[i].group = group;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return float4(v.group, 1); }
//= Target f32: 2 1 1 1

//--- attributes-of-primitives-are-constant
// Each pixel is a triangle; the attributes of the primitive are those of its index, and so is its number.
//# draw 4x1 mesh 1,1,1
struct V { float4 position : SV_Position; };
struct P { uint id : SV_PrimitiveID; float2 pair : PAIR; };
[numthreads(12, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[12], out indices uint3 tris[4], out primitives P prims[4]) {
    SetMeshOutputCounts(12, 4);
    uint t = i / 3;
    verts[i].position = float4(-1 + 0.5 * t + (i % 3 == 1 ? 1 : 0), i % 3 == 2 ? -3 : 1, 0.9 - 0.2 * t, 1);
    if (i < 4) {
        tris[i] = 3 * i + uint3(0, 1, 2);
        prims[i].id = 100 + i;
        prims[i].pair = float2(i, 0.5 * i);
    }
}
float4 ps(V v, P p) : SV_Target { return float4(p.id, p.pair, 1); }
//= Target f32: 100 0 0 1 101 1 0.5 1 102 2 1 1 103 3 1.5 1

//--- a-primitive-can-be-culled
//# draw 1x1 mesh 1,1,1
struct V { float4 position : SV_Position; };
struct P { bool cull : SV_CullPrimitive; nointerpolation uint id : ID; };
struct Seen { nointerpolation uint id : ID; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[3], out primitives P prims[3]) {
    SetMeshOutputCounts(3, 3);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    tris[i] = uint3(0, 1, 2);
    prims[i].cull = i != 1;
    prims[i].id = 7 + i;
}
float4 ps(V v, Seen p) : SV_Target { return p.id; }
//= Target f32: 8*4

//--- counts-below-the-arrays-drop-the-rest
// What lies beyond the counts, and primitives that name such vertices, are not drawn.
//# draw 1x1 mesh 1,1,1
//# finds out-of-bounds
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
[numthreads(6, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[6], out indices uint3 tris[3]) {
    SetMeshOutputCounts(5, 2);
    verts[i].position = float4(i % 3 == 1 ? 3 : -1, i % 3 == 2 ? -3 : 1, 0.9 - 0.1 * i, 1);
    verts[i].id = 1 + i;
    // The second one has vertex 5, and the third one is beyond the count.
    if (i == 0) tris[0] = uint3(0, 1, 2);
    if (i == 1) tris[1] = uint3(3, 4, 5);
    if (i == 2) tris[2] = uint3(2, 0, 1);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1*4

//--- without-counts-nothing-is-drawn
//# draw 1x1 mesh 2,1,1
struct V { float4 position : SV_Position; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, uint group : SV_GroupID, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(group * 3, 0);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*4

//--- a-mesh-of-lines
//# draw 4x4 mesh 1,1,1
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
[numthreads(4, 1, 1)] [outputtopology("line")]
void ms(uint i : SV_GroupIndex, out vertices V verts[4], out indices uint2 lines[2]) {
    SetMeshOutputCounts(4, 2);
    verts[i].position = float4(i & 1 ? 1.5 : -1.5, i & 2 ? -0.75 : 0.75, 0.5, 1);
    verts[i].id = 1 + i;
    if (i < 2) lines[i] = uint2(2 * i, 2 * i + 1);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1*16 0*32 3*16

//--- points-of-a-mesh-cover-one-pixel-each
// The third one is culled.
//# draw 4x2 mesh 1,1,1
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
struct P { bool cull : SV_CullPrimitive; };
[numthreads(4, 1, 1)] [outputtopology("point")]
void ms(uint i : SV_GroupIndex, out vertices V verts[4], out indices uint points[4], out primitives P prims[4]) {
    SetMeshOutputCounts(4, 4);
    verts[i].position = float4(-0.75 + 0.5 * i, i & 1 ? -0.5 : 0.5, 0.5, 1);
    verts[i].id = 1 + i;
    points[i] = i;
    prims[i].cull = i == 2;
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 1*4 0*4 0*4 0*4 0*4 2*4 0*4 4*4

//--- a-point-of-no-vertex-covers-nothing
// The first two points name vertices beyond the count, and are not drawn at vertex 0 either.
//# draw 2x1 mesh 1,1,1
//# finds out-of-bounds
struct V { float4 position : SV_Position; };
struct P { nointerpolation uint id : ID; };
[numthreads(4, 1, 1)] [outputtopology("point")]
void ms(uint i : SV_GroupIndex, out vertices V verts[4], out indices uint points[4], out primitives P prims[4]) {
    SetMeshOutputCounts(2, 4);
    if (i < 2) verts[i].position = float4(-0.5 + i, 0, 0.9, 1);
    points[i] = (i + 2) % 4;
    prims[i].id = 1 + i;
}
float4 ps(V v, P p) : SV_Target { return p.id; }
//= Target f32: 3*4 4*4

//--- a-culled-point-of-no-vertex-covers-nothing
//# draw 2x1 mesh 1,1,1
//# finds out-of-bounds
struct V { float4 position : SV_Position; };
struct P { bool cull : SV_CullPrimitive; nointerpolation uint id : ID; };
struct Seen { nointerpolation uint id : ID; };
[numthreads(4, 1, 1)] [outputtopology("point")]
void ms(uint i : SV_GroupIndex, out vertices V verts[4], out indices uint points[4], out primitives P prims[4]) {
    SetMeshOutputCounts(2, 4);
    if (i < 2) verts[i].position = float4(-0.5 + i, 0, 0.9, 1);
    points[i] = (i + 2) % 4;
    prims[i].cull = i == 1 || i == 3;
    prims[i].id = 1 + i;
}
float4 ps(V v, Seen p) : SV_Target { return p.id; }
//= Target f32: 3*4 0*4

//--- a-group-without-vertices-draws-nothing
// Its primitives name vertices that do not exist.
//# draw 1x1 mesh 2,1,1
//# finds out-of-bounds
struct V { float4 position : SV_Position; };
[numthreads(4, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[2]) {
    SetMeshOutputCounts(0, 2);
    if (i < 2) tris[i] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 0*4

//--- structs-arrays-and-matrices-are-outputs
//# draw 1x1 mesh 1,1,1
struct Inner { float2 uv[2] : UV; float m : M; };
struct V { float4 position : SV_Position; Inner inner; nointerpolation float2x2 matrix_ : MAT; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    V v;
    v.position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    v.inner.uv[0] = float2(1, 2);
    v.inner.uv[1] = float2(3, 4);
    v.inner.m = 5;
    v.matrix_ = float2x2(6, 7, 8, 9);
    verts[i] = v;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target {
    EXPECT_EQ(v.inner.uv[0].x, 1.0f);
    EXPECT_EQ(v.inner.uv[1].y, 4.0f);
    EXPECT_EQ(v.matrix_[0][1], 7.0f);
    EXPECT_EQ(v.matrix_[1][0], 8.0f);
    return float4(v.inner.uv[0].y, v.inner.uv[1].x, v.inner.m, v.matrix_[1][1]);
}
//= Target f32: 2 3 5 9

//--- waves-compact-the-primitives-of-a-group
// The lanes whose triangle survives take its place by a prefix sum over the wave; the counts are sums over the group.
//# draw 16x1 mesh 1,1,1
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
groupshared uint kept;
[numthreads(128, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[48], out indices uint3 tris[16]) {
    if (i == 0) kept = 0;
    GroupMemoryBarrierWithGroupSync();
    // One in eight, at places that depend on the number.
    bool keeps = (i * 5 + 3) % 8 == 0;
    uint first = 0;
    uint count = WaveActiveCountBits(keeps);
    if (WaveIsFirstLane()) InterlockedAdd(kept, count, first);
    uint at = WaveReadLaneFirst(first) + WavePrefixCountBits(keeps);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(kept, 16);
    SetMeshOutputCounts(3 * kept, kept);
    if (keeps) {
        uint x = i / 8;
        for (uint corner = 0; corner < 3; corner++) {
            verts[3 * at + corner].position =
                float4(-1 + 0.125 * x + (corner == 1 ? 0.25 : 0), corner == 2 ? -3 : 1, 0.9 - x * 0.05, 1);
            verts[3 * at + corner].id = i;
        }
        tris[at] = 3 * at + uint3(0, 1, 2);
    }
}
float4 ps(V v) : SV_Target { return float4(v.id, 0, 0, 1); }
//= Target f32: 1 0 0 1 9 0 0 1 17 0 0 1 25 0 0 1 33 0 0 1 41 0 0 1 49 0 0 1 57 0 0 1 65 0 0 1 73 0 0 1 81 0 0 1 89 0 0 1 97 0 0 1 105 0 0 1 113 0 0 1 121 0 0 1

//--- lanes-of-a-mesh-shader-are-those-of-compute
//# draw 1x1 mesh 2,1,1
//# zero Out 512
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
[numthreads(32, 2, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, uint group : SV_GroupID, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(0, 0);
    EXPECT_EQ(WaveGetLaneIndex(), i % WIDTH);
    Out[group * 64 + i] = WaveActiveCountBits(true);
}
float4 ps(V v) : SV_Target { return 1; }
//= Out u32 @8: 8*128
//= Out u32 @128: 64*128

//--- a-return-leaves-what-was-written
//# draw 1x1 mesh 1,1,1
struct V { float4 position : SV_Position; };
[numthreads(8, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    if (i >= 3) return;
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i > 0) return;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return 4; }
//= Target f32: 4*4
