// The finding `ray-flags`, and its nearest right neighbour.

//--- ray-flags
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, t + 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, t & 1 ? RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_CULL_OPAQUE : RAY_FLAG_CULL_OPAQUE, 0xff, ray); //? ray-flags: exclude each other
    Out[t] = q.Proceed();
}

//--- ray-flags-not
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//= Out u32: 0 0
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, t + 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, t & 1 ? RAY_FLAG_FORCE_OPAQUE : RAY_FLAG_CULL_OPAQUE, 0xff, ray);
    Out[t] = q.Proceed();
}
