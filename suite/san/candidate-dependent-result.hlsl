// The finding `candidate-dependent-result`, and its nearest right neighbour.

//--- candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    Out[t] = 0;
    while (q.Proceed()) Out[t]++; //? candidate-dependent-result: depends on
}

//--- candidate-dependent-result-not
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1)
//# zero Out 512
//= Out u32: 0 0
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    Out[t] = 0;
    while (q.Proceed()) q.CommitNonOpaqueTriangleHit();
    Out[t] = q.CommittedPrimitiveIndex();
}

//--- candidates-that-are-counted-in-a-variable
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1)
//# zero Out 512
//# widths 4
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    uint count = 0;
    while (q.Proceed()) count += 1; //? candidate-dependent-result: depends on how often a candidate is offered
    Out[t] = count;
}
