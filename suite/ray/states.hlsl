// What is undefined has a fixed result: a use in the wrong state, a wrong ray, a hit outside of the interval.

//--- a-query-that-was-never-traced-answers-zero
//# args -T cs_6_10
//# finds ray-query-state
RWStructuredBuffer<uint> Out;
//# in Out u32: 7*24
//= Out u32: 0*24
[numthreads(1, 1, 1)]
void main() {
    RayQuery<RAY_FLAG_NONE> q;
    q.Abort();
    q.CommitNonOpaqueTriangleHit();
    q.CommitProceduralPrimitiveHit(1);
    Out[0] = q.Proceed();
    Out[1] = q.CommittedStatus();
    Out[2] = q.CandidateType();
    Out[3] = q.RayFlags();
    Out[4] = asuint(q.RayTMin());
    Out[5] = asuint(q.WorldRayOrigin().x);
    Out[6] = asuint(q.WorldRayDirection().z);
    Out[7] = asuint(q.CandidateTriangleRayT());
    Out[8] = q.CandidateInstanceIndex();
    Out[9] = q.CandidateProceduralPrimitiveNonOpaque();
    Out[10] = asuint(q.CandidateObjectToWorld3x4()[0][0]);
    Out[11] = asuint(q.CandidateTriangleBarycentrics().x);
    Out[12] = q.CandidateTriangleFrontFace();
    Out[13] = asuint(q.CommittedRayT());
    Out[14] = q.CommittedInstanceIndex();
    Out[15] = q.CommittedInstanceID();
    Out[16] = q.CommittedGeometryIndex();
    Out[17] = q.CommittedPrimitiveIndex();
    Out[18] = asuint(q.CommittedObjectRayOrigin().x);
    Out[19] = asuint(q.CommittedWorldToObject4x3()[0][0]);
    Out[20] = asuint(q.CommittedTriangleBarycentrics().y);
    Out[21] = q.CommittedTriangleFrontFace();
    Out[22] = asuint(q.CommittedTriangleObjectPositions().p1.y);
    Out[23] = q.CommittedClusterID();
}

//--- methods-that-do-not-suit-the-candidate-answer-zero
//# finds ray-query-state
//# scene Scene: boxes(-1 -1 -1 1 1 1)
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
//# in Out u32: 7*6
//= Out u32: 0 0 0 2 0 0
[numthreads(1, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 3), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[0] = asuint(q.CandidateTriangleRayT());
    q.CommitNonOpaqueTriangleHit();
    Out[1] = q.CommittedStatus();
    q.CommitProceduralPrimitiveHit(2);
    Out[2] = asuint(q.CommittedTriangleBarycentrics().x);
    Out[3] = q.CommittedStatus();
    q.Proceed();
    Out[4] = q.CandidateType();
    Out[5] = q.CandidatePrimitiveIndex();
}

//--- hits-outside-of-the-interval-are-ignored
//# finds ray-hit-out-of-range
//# scene Scene: boxes(-1 -1 -1 1 1 1)
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<float> Out;
//# in Out f32: 7*5
//= Out f32: 100 100 100 3 3
[numthreads(1, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 3), 1.5, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    q.CommitProceduralPrimitiveHit(1.25);
    Out[0] = q.CommittedRayT();
    q.CommitProceduralPrimitiveHit(101);
    Out[1] = q.CommittedRayT();
    q.CommitProceduralPrimitiveHit(asfloat(0x7fc00000));
    Out[2] = q.CommittedRayT();
    q.CommitProceduralPrimitiveHit(3);
    Out[3] = q.CommittedRayT();
    q.CommitProceduralPrimitiveHit(3.5);
    Out[4] = q.CommittedRayT();
}

//--- wrong-rays-hit-nothing
//# finds bad-ray
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0) | boxes(-9 -9 -9 9 9 9)
RaytracingAccelerationStructure Scene;
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
// Origin.z, TMin, Direction.z, TMax: a NaN each, an empty interval, no direction.
//# in In f32: nan 0 -1 100 1 nan -1 100 1 0 nan 100 1 5 -1 4 1 0 0 100
//# in Out u32: 7*5
//= Out u32: 0*5
[numthreads(5, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, In[4 * t]), In[4 * t + 1], float3(0, 0, In[4 * t + 2]), In[4 * t + 3] };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    uint found = q.Proceed() ? 1 : 0;
    Out[t] = found + q.CommittedStatus();
}

//--- a-replaced-query-answers-zero
//# finds ray-query-state
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
//# in Out u32: 7*2
//= Out u32: 1 0
[numthreads(1, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> kept;
    [loop] for (uint i = 0; i < 2; ++i) {
        RayQuery<RAY_FLAG_NONE> q;
        if (i == 0) kept = q;
        q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
        q.Proceed();
        // In the second round, the declaration has made another query in its place.
        Out[i] = kept.CommittedStatus();
    }
}

//--- flags-that-exclude-each-other-have-an-order
//# finds ray-flags unread-candidates
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
StructuredBuffer<uint> Flags;
RWStructuredBuffer<uint> Out;
// FORCE_OPAQUE with FORCE_NON_OPAQUE, the latter counts; CULL_OPAQUE with CULL_NON_OPAQUE; SKIP_CLOSEST_HIT_SHADER and
// unknown bits have no effect.
//# in Flags u32: 3 0xc0 8 0x80000000
//# in Out u32: 7*4
//= Out u32: 1 0 2 2
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, Flags[t], 0xff, ray);
    Out[t] = q.Proceed() ? 1 : q.CommittedStatus() * 2;
}
