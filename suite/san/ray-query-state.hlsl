// The finding `ray-query-state`, and its nearest right neighbour.

//--- ray-query-state
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, t + 1), 0, float3(0, 0, -1), 20 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = q.CommittedGeometryIndex(); //? ray-query-state: does not allow it
}

//--- ray-query-state-not
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//= Out u32: 0 0
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, t + 1), 0, float3(0, 0, -1), 20 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = 7;
    if (q.CommittedStatus() == COMMITTED_TRIANGLE_HIT)
        Out[t] = q.CommittedGeometryIndex();
}
