// The finding `no-data-access`, and its nearest right neighbour.

//--- no-data-access
//# args -T cs_6_10
//# scene Scene: sealed: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = asuint(q.CommittedTriangleObjectPositions().p0.y); //? no-data-access: without access
}

//--- no-data-access-not
//# args -T cs_6_10
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//= Out u32: 1065353216 1065353216
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = asuint(q.CommittedTriangleObjectPositions().p0.y);
}

//--- no-data-access-reaches
//# args -T cs_6_10
//# scene Scene: sealed: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 256
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = asuint(q.CommittedRayT());
    Out[32 + t] = asuint(q.CommittedTriangleObjectPositions().p0.y); //? no-data-access: without access
}
