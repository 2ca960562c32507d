// What the sanitizer finds in mesh shaders.

//--- two-lanes-write-an-output
//# draw 1x1 mesh 1,1,1
//# finds race
struct V { float4 position : SV_Position; nointerpolation float a : A; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i > 0) verts[i].a = 0;
    verts[0].a = i;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*4

//--- an-output-is-not-written
//# draw 1x1 mesh 1,1,1
//# finds uninitialized-value
struct V { float4 position : SV_Position; float a : A; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i > 0) verts[i].a = 1;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return v.a; }
//= Target f32: 0.5*4

//--- an-index-beyond-the-count
// The second primitive names a vertex that the group does not have, and vanishes.
//# draw 1x1 mesh 1,1,1
//# finds out-of-bounds
struct V { float4 position : SV_Position; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[4], out indices uint3 tris[2]) {
    SetMeshOutputCounts(3, 2);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i < 2) tris[i] = uint3(0, 1, 2 + i);
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*4

//--- counts-beyond-the-arrays
//# draw 1x1 mesh 1,1,1
struct V { float4 position : SV_Position; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(4, 1); //? out-of-bounds: a group asks for 4 vertices, and its array has 3
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i == 0) tris[i] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*4

//--- an-amplification-shader-without-a-barrier
// `DispatchMesh` waits for all threads, so that what each has stored is passed on; a thread that reads what another wave
// stores has to wait, too.
//# draw 1x1 amplified 1,1,1
//# widths 4 8
//# finds race
struct Payload { float a[16]; float first; };
groupshared Payload p;
struct V { float4 position : SV_Position; nointerpolation float a : A; };
[numthreads(16, 1, 1)]
void amp(uint i : SV_GroupIndex) {
    p.a[i] = i;
    if (i == 0) p.first = p.a[15];
    DispatchMesh(1, 1, 1, p);
}
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, in payload Payload p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    verts[i].a = p.a[i];
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return v.a; }
