// The finding `ray-tie`, and its nearest right neighbour.

//--- ray-tie
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 0, -1 -1 0, 1 -1 0)
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
    Out[t] = q.CommittedPrimitiveIndex(); //? ray-tie: depends on which of two
}

//--- ray-tie-not
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 0, -1 -1 0, 1 -1 0)
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
    Out[t] = q.CommittedRayT();
}

//--- a-tie-that-goes-on-through-variables
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    uint which = q.CommittedPrimitiveIndex(); //? ray-tie: depends on which of two
    which = which * 3 + 1;
    Out[t] = which;
}

//--- a-ray-that-a-tie-sets
// The second ray is another one because of the first.
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<float> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q, r;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    ray.Origin.z += q.CommittedPrimitiveIndex(); //? ray-tie: depends on which of two
    r.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    r.Proceed();
    Out[t] = r.CommittedRayT();
}
