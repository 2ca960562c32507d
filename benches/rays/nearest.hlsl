// The nearest hits of incoherent rays, one a thread: from above a terrain, in pseudo-random directions.

RaytracingAccelerationStructure Scene : register(t0);
RWStructuredBuffer<uint> Out : register(u0);

uint Mixed(uint x) {
    x = (x ^ 61) ^ (x >> 16);
    x *= 9;
    x = x ^ (x >> 4);
    x *= 0x27d4eb2d;
    return x ^ (x >> 15);
}

float Unit(uint x) { return (Mixed(x) >> 8) * (1.0 / 16777216.0); }

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
