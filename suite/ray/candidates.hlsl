// Candidates: the shader judges what is not opaque, from the nearest on.

//--- candidates-come-from-the-nearest-on
//# finds candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 -2, -1 -1 -2, 1 -1 -2, 0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    uint order = 0, count = 0;
    while (q.Proceed()) {
        EXPECT_EQ(q.CandidateType(), CANDIDATE_NON_OPAQUE_TRIANGLE);
        EXPECT_EQ(q.CandidateTriangleRayT(), count + 1.0);
        EXPECT_EQ(q.CandidateTriangleBarycentrics().x, 0.25);
        EXPECT_EQ(q.CandidateTriangleBarycentrics().y, 0.25);
        EXPECT(q.CandidateTriangleFrontFace());
        EXPECT_EQ(q.CandidateGeometryIndex(), 0u);
        EXPECT_EQ(q.CandidateInstanceIndex(), 0u);
        EXPECT_EQ(q.CandidateInstanceID(), 0u);
        EXPECT_EQ(q.CandidateInstanceContributionToHitGroupIndex(), 0u);
        order = order * 10 + q.CandidatePrimitiveIndex();
        ++count;
        // Each lane accepts another one.
        if (count == lane % 4 + 1) q.CommitNonOpaqueTriangleHit();
    }
    // What is committed shortens the ray; the last fourth of the lanes accept none.
    uint orders[4] = { 1, 12, 120, 120 };
    EXPECT_EQ(order, orders[lane % 4]);
    bool none = lane % 4 == 3;
    EXPECT_EQ(q.CommittedStatus(), none ? COMMITTED_NOTHING : COMMITTED_TRIANGLE_HIT);
    EXPECT_EQ(q.CommittedRayT(), none ? 100.0 : lane % 4 + 1.0);
}

//--- opaque-triangles-hide-candidates-behind-them
//# finds candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -3, -1 -1 -3, 1 -1 -3) + triangles(0 1 -1, -1 -1 -1, 1 -1 -1)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    EXPECT_EQ(q.CandidateTriangleRayT(), 1.0);
    EXPECT(!q.Proceed());
    EXPECT_EQ(q.CommittedRayT(), 2.0);
    EXPECT_EQ(q.CommittedGeometryIndex(), 1u);
}

//--- committing-twice-is-committing-once
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    q.CommitNonOpaqueTriangleHit();
    q.CommitNonOpaqueTriangleHit();
    // The candidate stays until the next call.
    EXPECT_EQ(q.CandidateTriangleRayT(), 1.0);
    EXPECT_EQ(q.CommittedRayT(), 1.0);
    EXPECT(!q.Proceed());
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_TRIANGLE_HIT);
}

//--- boxes-are-always-candidates
//# finds candidate-dependent-result
//# scene Scene: boxes(-1 -1 -1 1 1 1) + non-opaque boxes(-1 -1 -4 1 1 -3)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 3), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    uint seen = 0;
    while (q.Proceed()) {
        EXPECT_EQ(q.CandidateType(), CANDIDATE_PROCEDURAL_PRIMITIVE);
        EXPECT_EQ(q.CandidateProceduralPrimitiveNonOpaque(), seen == 1);
        EXPECT_EQ(q.CandidateGeometryIndex(), seen);
        // Odd lanes hit something in the second box only.
        if (seen == 1 || !(lane & 1)) q.CommitProceduralPrimitiveHit(seen == 0 ? 2.5 : 6.5);
        ++seen;
    }
    EXPECT_EQ(seen, (lane & 1) ? 2u : 1u);
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_PROCEDURAL_PRIMITIVE_HIT);
    EXPECT_EQ(q.CommittedRayT(), (lane & 1) ? 6.5 : 2.5);
    EXPECT_EQ(q.CommittedGeometryIndex(), lane & 1);
}

//--- a-procedural-hit-can-come-closer
//# finds candidate-dependent-result
//# scene Scene: boxes(-1 -1 -1 1 1 1)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 3), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    q.CommitProceduralPrimitiveHit(4);
    q.CommitProceduralPrimitiveHit(2);
    EXPECT_EQ(q.CommittedRayT(), 2.0);
    q.CommitProceduralPrimitiveHit(2);
    EXPECT_EQ(q.CommittedRayT(), 2.0);
    EXPECT(!q.Proceed());
}

//--- an-aborted-query-keeps-its-candidate
//# finds candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    if (lane & 1) q.CommitNonOpaqueTriangleHit();
    q.Abort();
    EXPECT_EQ(q.CandidateTriangleRayT(), 1.0);
    EXPECT_EQ(q.CandidatePrimitiveIndex(), 0u);
    EXPECT(!q.Proceed());
    EXPECT_EQ(q.CommittedStatus(), (lane & 1) ? COMMITTED_TRIANGLE_HIT : COMMITTED_NOTHING);
}

//--- a-trace-starts-afresh-in-every-state
//# finds unread-candidates
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    switch (lane & 3) {
    case 0: break;
    case 1: q.Proceed(); break;
    case 2: q.Proceed(); q.CommitNonOpaqueTriangleHit(); q.Proceed(); break;
    case 3: q.Abort(); break;
    }
    ray.Origin.z = 5;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_NOTHING);
    EXPECT(q.Proceed());
    EXPECT_EQ(q.CandidateTriangleRayT(), 5.0);
}

//--- the-first-hit-can-end-the-search
//# finds candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1) | triangles(0 1 -5, -1 -1 -5, 1 -1 -5)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    uint seen = 0;
    while (q.Proceed()) {
        ++seen;
        if (lane & 1) q.CommitNonOpaqueTriangleHit();
    }
    EXPECT_EQ(seen, (lane & 1) ? 1u : 2u);
    EXPECT_EQ(q.CommittedRayT(), (lane & 1) ? 1.0 : 6.0);
}
