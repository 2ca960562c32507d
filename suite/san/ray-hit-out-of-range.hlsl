// The finding `ray-hit-out-of-range`, and its nearest right neighbour.

//--- ray-hit-out-of-range
//# scene Scene: boxes(-1 -1 -1 1 1 1)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 3), 0, float3(0, 0, -1), t + 2.5 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    while (q.Proceed()) {
        float hit = 3;                          // the far side of what is in the box
        q.CommitProceduralPrimitiveHit(hit); //? ray-hit-out-of-range: outside the interval
    }
    Out[t] = q.CommittedStatus();
}

//--- ray-hit-out-of-range-not
//# scene Scene: boxes(-1 -1 -1 1 1 1)
//# zero Out 512
//= Out u32: 0 2 2 2
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 3), 0, float3(0, 0, -1), t + 2.5 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    while (q.Proceed()) {
        float hit = 3;
        if (q.RayTMin() <= hit && hit <= q.CommittedRayT())
            q.CommitProceduralPrimitiveHit(hit);
    }
    Out[t] = q.CommittedStatus();
}
