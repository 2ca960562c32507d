// What mesh, amplification and geometry shaders may not do.

//--- an-output-before-the-counts
//# args -T ms_6_5 -E ms
struct V { float4 position : SV_Position; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    verts[i].position = 0; //~ error[bad-entry-point]: an output is written before `SetMeshOutputCounts` is called
    SetMeshOutputCounts(3, 1);
    tris[0] = uint3(0, 1, 2);
}

//--- counts-are-set-once
//# args -T ms_6_5 -E ms
struct V { float4 position : SV_Position; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    SetMeshOutputCounts(0, 0); //~ error[bad-entry-point]: a shader calls `SetMeshOutputCounts` only once
}

//--- a-mesh-has-groups-of-128-threads
//# args -T ms_6_5 -E ms
struct V { float4 position : SV_Position; };
[numthreads(129, 1, 1)] //~ error[bad-attribute]: a group of a mesh shader has at most 128 threads, not 129
[outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(0, 0);
}

//--- the-output-of-a-group-is-bounded
//# args -T ms_6_5 -E ms
struct V { float4 position : SV_Position; float4 more[8] : MORE; };
[numthreads(32, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, out vertices V verts[256], out indices uint3 tris[1]) { //~ error[too-large]: the output of a group has at most 32768 bytes, not 36864
    SetMeshOutputCounts(0, 0);
}

//--- a-payload-cannot-be-changed
//# args -T ms_6_5 -E ms
struct P { uint a; };
struct V { float4 position : SV_Position; };
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, in payload P p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(0, 0);
    p.a = 1; //~ error[not-assignable]: a mesh shader cannot change its payload
}

//--- an-amplification-shader-dispatches
//# args -T as_6_5 -E amp
[numthreads(1, 1, 1)]
void amp() {} //~ error[bad-entry-point]: an amplification shader must call `DispatchMesh`

//--- it-dispatches-once
//# args -T as_6_5 -E amp
struct P { uint a; };
groupshared P payload;
[numthreads(1, 1, 1)]
void amp(uint group : SV_GroupID) {
    if (group == 0) DispatchMesh(1, 1, 1, payload);
    else DispatchMesh(2, 1, 1, payload); //~ error[bad-entry-point]: a shader calls `DispatchMesh` only once
}

//--- its-payload-is-groupshared
//# args -T as_6_5 -E amp
struct P { uint a; };
[numthreads(1, 1, 1)]
void amp(uint group : SV_GroupID) {
    P p;
    p.a = group;
    DispatchMesh(1, 1, 1, p); //~ error[type-mismatch]: the payload of `DispatchMesh` must be a groupshared variable
}

//--- a-geometry-shader-emits-1024-scalars
//# args -T gs_6_0 -E gs
struct V { float4 position : SV_Position; float4 a : A; };
[maxvertexcount(200)] //~ error[bad-entry-point]: 200 vertices of 8 scalars are 1600 scalars, but a geometry shader emits at most 1024
void gs(point V v[1], inout PointStream<V> stream) { stream.Append(v[0]); }

//--- several-streams-are-of-points
//# args -T gs_6_0 -E gs
struct V { float4 position : SV_Position; };
[maxvertexcount(2)]
void gs(point V v[1], inout PointStream<V> a, inout LineStream<V> b) { //~ error[bad-entry-point]: only streams of points can be several
    a.Append(v[0]);
}
