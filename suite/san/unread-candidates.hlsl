// The finding `unread-candidates`, and its nearest right neighbour.

//--- unread-candidates
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed(); //? unread-candidates: was not judged
    Out[t] = q.CommittedStatus();
}

//--- unread-candidates-not
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0)
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
