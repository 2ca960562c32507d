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
