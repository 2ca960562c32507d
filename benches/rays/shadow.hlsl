// Shadow rays, one a thread: from points about a terrain to a low sun, whether anything is in the way.

#include "random.hlsli"

RaytracingAccelerationStructure Scene : register(t0);
RWStructuredBuffer<uint> Out : register(u0);

[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    float3 from = float3(Unit(i * 3) * 28, Unit(i * 3 + 1) * 2.4 - 1.2, Unit(i * 3 + 2) * 28);
    RayDesc ray = { from, 0, float3(0.9, 0.15, 0.4), 1000 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[i] = q.CommittedStatus() == COMMITTED_TRIANGLE_HIT;
}
