// The finding `bad-instance`, and its nearest right neighbour.

//--- bad-instance
//# scene Scene: matrix 1 0 0 0 0 0 0 0 0 0 1 0: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray); //? bad-instance: instance 0 of `Scene` is not valid: the transform has no inverse
    q.Proceed();
    Out[t] = q.CommittedStatus();
}

//--- bad-instance-not
//# scene Scene: matrix 1 0 0 0 0 2 0 0 0 0 1 0: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//= Out u32: 1 1
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = q.CommittedStatus();
}

//--- bad-instances-of-several-kinds
// Each has a fixed result: of both flags the second counts, unknown flags are ignored, and a NaN is never hit.
//# scene Scene: flags 12: triangles(0 1 0, -1 -1 0, 1 -1 0) | flags 64: triangles(10 1 0, 9 -1 0, 11 -1 0) | matrix nan 0 0 0 0 1 0 0 0 0 1 0: triangles(20 1 0, 19 -1 0, 21 -1 0)
//# zero Out 512
//= Out u32: 0 1 0
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(t * 10, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray); //? bad-instance: instance 2: the transform has a NaN
    while (q.Proceed()) {}
    if (t < 3) Out[t] = q.CommittedStatus();
}

//--- a-bad-instance-that-nothing-traces
//# scene Bad: matrix 0 0 0 0 0 0 0 0 0 0 0 0: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# scene Good: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//= Out u32: 1 1
//# widths 4..32
RaytracingAccelerationStructure Bad, Good;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    if (t > 31) q.TraceRayInline(Bad, RAY_FLAG_NONE, 0xff, ray);
    q.TraceRayInline(Good, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = q.CommittedStatus();
}
