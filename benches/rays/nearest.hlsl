// The nearest hits of incoherent rays, one a thread: from above a terrain, in pseudo-random directions.

#include "random.hlsli"

RaytracingAccelerationStructure Scene : register(t0);
RWStructuredBuffer<uint> Out : register(u0);

[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    float3 from = float3(Unit(i * 5) * 28, 2.5, Unit(i * 5 + 1) * 28);
    float3 to = float3(Unit(i * 5 + 2) * 28, 0, Unit(i * 5 + 3) * 28);
    RayDesc ray = { from, 0, to - from, 1000 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[i] = q.CommittedStatus() == COMMITTED_TRIANGLE_HIT ? q.CommittedPrimitiveIndex() : 0xffffffff;
}
