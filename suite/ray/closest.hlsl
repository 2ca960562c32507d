// Opaque triangles: the closest one is committed without the shader, and the ray is what it was.

//--- a-ray-commits-the-closest-opaque-triangle
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Odd lanes come from behind, and meet the second triangle first.
    bool behind = lane & 1;
    RayDesc ray = { float3(0, 0, behind ? -3 : 1), 0, float3(0, 0, behind ? 1 : -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_NOTHING);
    EXPECT_EQ(q.CommittedRayT(), 100.0);
    EXPECT(!q.Proceed());
    EXPECT(!q.Proceed());
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_TRIANGLE_HIT);
    EXPECT_EQ(q.CommittedRayT(), behind ? 2.0 : 1.0);
    EXPECT_EQ(q.CommittedPrimitiveIndex(), behind ? 1u : 0u);
    EXPECT_EQ(q.CommittedTriangleBarycentrics().x, 0.25);
    EXPECT_EQ(q.CommittedTriangleBarycentrics().y, 0.25);
    EXPECT_EQ(q.CommittedTriangleFrontFace(), !behind);
    EXPECT_EQ(q.CommittedGeometryIndex(), 0u);
    EXPECT_EQ(q.CommittedInstanceIndex(), 0u);
    EXPECT_EQ(q.CommittedInstanceID(), 0u);
    EXPECT_EQ(q.CommittedInstanceContributionToHitGroupIndex(), 0u);
}

//--- a-query-tells-its-ray-before-it-proceeds
//# scene Scene: none
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(lane, 2, 3), 0.5, float3(4, 5, lane + 1), 7 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_CULL_BACK_FACING_TRIANGLES, 0xff, ray);
    EXPECT_EQ(q.RayFlags(), RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_CULL_BACK_FACING_TRIANGLES);
    EXPECT_EQ(q.RayTMin(), 0.5);
    EXPECT_EQ(q.CommittedRayT(), 7.0);
    EXPECT(all(q.WorldRayOrigin() == float3(lane, 2, 3)));
    EXPECT(all(q.WorldRayDirection() == float3(4, 5, lane + 1)));
    EXPECT(!q.Proceed());
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_NOTHING);
    EXPECT_EQ(q.CommittedRayT(), 7.0);
}

//--- only-what-is-inside-the-interval-is-hit
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // The triangle is at a distance of 2: both ends of the interval are excluded.
    float2 ends[4] = { float2(0, 2), float2(2, 9), float2(0, 2.5), float2(1.5, 9) };
    float2 own = ends[lane & 3];
    RayDesc ray = { float3(0, 0, 2), own.x, float3(0, 0, -1), own.y };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    EXPECT_EQ(q.CommittedStatus(), (lane & 2) ? COMMITTED_TRIANGLE_HIT : COMMITTED_NOTHING);
}

//--- of-equal-distances-the-first-primitive-wins
//# finds ray-tie
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 0, -1 -1 0, 1 -1 0) | triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 2), 0, float3(0, 0, -1), 9 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    EXPECT_EQ(q.CommittedPrimitiveIndex(), 0u);
    EXPECT_EQ(q.CommittedInstanceIndex(), 0u);
}

//--- instances-are-told-apart
//# scene Scene: id 7, contribution 3, at -4 0 0: triangles(0 1 0, -1 -1 0, 1 -1 0) | id 9, contribution 5, at 4 0 0: triangles(9 9 9, 9 9 9, 9 9 9) + triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    bool second = lane & 1;
    float x = second ? 4 : -4;
    RayDesc ray = { float3(x, 0, 2), 0, float3(0, 0, -1), 9 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    EXPECT_EQ(q.CommittedStatus(), COMMITTED_TRIANGLE_HIT);
    EXPECT_EQ(q.CommittedInstanceIndex(), second ? 1u : 0u);
    EXPECT_EQ(q.CommittedInstanceID(), second ? 9u : 7u);
    EXPECT_EQ(q.CommittedInstanceContributionToHitGroupIndex(), second ? 5u : 3u);
    EXPECT_EQ(q.CommittedGeometryIndex(), second ? 1u : 0u);
    EXPECT(all(q.CommittedObjectRayOrigin() == float3(0, 0, 2)));
    EXPECT(all(q.CommittedObjectRayDirection() == float3(0, 0, -1)));
}

//--- matrices-of-a-candidate-are-rows-and-their-transposes
//# scene Scene: matrix 2 0 0 10 0 4 0 20 0 0 8 30: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(10, 20, 32), 0, float3(0, 0, -1), 9 };
    RayQuery<RAY_FLAG_FORCE_NON_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    float3x4 there = float3x4(2, 0, 0, 10, 0, 4, 0, 20, 0, 0, 8, 30);
    float3x4 back = float3x4(0.5, 0, 0, -5, 0, 0.25, 0, -5, 0, 0, 0.125, -3.75);
    [unroll] for (uint i = 0; i < 3; ++i) {
        EXPECT(all(q.CandidateObjectToWorld3x4()[i] == there[i]));
        EXPECT(all(q.CandidateWorldToObject3x4()[i] == back[i]));
        [unroll] for (uint j = 0; j < 4; ++j) {
            EXPECT_EQ(q.CandidateObjectToWorld4x3()[j][i], there[i][j]);
            EXPECT_EQ(q.CandidateWorldToObject4x3()[j][i], back[i][j]);
        }
    }
    EXPECT(all(q.CandidateObjectRayOrigin() == float3(0, 0, 0.25)));
    EXPECT(all(q.CandidateObjectRayDirection() == float3(0, 0, -0.125)));
}

//--- matrices-of-a-hit-are-rows-and-their-transposes
//# scene Scene: matrix 2 0 0 10 0 4 0 20 0 0 8 30: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(10, 20, 32), 0, float3(0, 0, -1), 9 };
    RayQuery<RAY_FLAG_FORCE_NON_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    q.CommitNonOpaqueTriangleHit();
    EXPECT(!q.Proceed());
    EXPECT_EQ(q.CommittedRayT(), 2.0);
    float3x4 there = float3x4(2, 0, 0, 10, 0, 4, 0, 20, 0, 0, 8, 30);
    float3x4 back = float3x4(0.5, 0, 0, -5, 0, 0.25, 0, -5, 0, 0, 0.125, -3.75);
    [unroll] for (uint i = 0; i < 3; ++i) {
        EXPECT(all(q.CommittedObjectToWorld3x4()[i] == there[i]));
        EXPECT(all(q.CommittedWorldToObject3x4()[i] == back[i]));
        [unroll] for (uint j = 0; j < 4; ++j) {
            EXPECT_EQ(q.CommittedObjectToWorld4x3()[j][i], there[i][j]);
            EXPECT_EQ(q.CommittedWorldToObject4x3()[j][i], back[i][j]);
        }
    }
}

//--- positions-and-clusters-of-triangles
//# args -T cs_6_10
//# scene Scene: at 0 0 -1: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 2), 0, float3(0, 0, -1), 9 };
    RayQuery<RAY_FLAG_NONE, RAYQUERY_FLAG_ALLOW_CLUSTERED_GEOMETRY> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(q.Proceed());
    BuiltInTrianglePositions at = q.CandidateTriangleObjectPositions();
    EXPECT(all(at.p0 == float3(0, 1, 0)) && all(at.p1 == float3(-1, -1, 0)) && all(at.p2 == float3(1, -1, 0)));
    EXPECT_EQ(q.CandidateClusterID(), CLUSTER_ID_INVALID);
    q.CommitNonOpaqueTriangleHit();
    EXPECT(all(q.CommittedTriangleObjectPositions().p2 == float3(1, -1, 0)));
    EXPECT_EQ(q.CommittedClusterID(), 0xffffffffu);
}

//--- scenes-in-arrays-differ-by-lane
//# scene Scenes[0]: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# scene Scenes[1]: triangles(0 1 1, -1 -1 1, 1 -1 1)
RaytracingAccelerationStructure Scenes[2];
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 4), 0, float3(0, 0, -1), 9 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scenes[NonUniformResourceIndex(lane & 1)], RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    EXPECT_EQ(q.CommittedRayT(), (lane & 1) ? 3.0 : 4.0);
}

//--- the-first-hit-is-the-closest-unless-only-the-status-is-read
//# finds candidate-dependent-result
//# scene Scene: triangles(0 1 -1, -1 -1 -1, 1 -1 -1, 0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Both triangles are hit, the farther one has the lesser index. A search for the status alone may stop at either.
    const uint flags = RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH;
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), lane % 4 == 3 ? 0.5 : 9 };
    RayQuery<flags> shadow;
    shadow.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(!shadow.Proceed());
    RayQuery<flags> read;
    read.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    EXPECT(!read.Proceed());
    EXPECT_EQ(shadow.CommittedStatus(), read.CommittedStatus());
    EXPECT_EQ(read.CommittedStatus(), lane % 4 == 3 ? COMMITTED_NOTHING : COMMITTED_TRIANGLE_HIT);
    EXPECT_EQ(read.CommittedRayT(), lane % 4 == 3 ? 0.5 : 1.0);
}

//--- the-first-hit-is-the-closest-where-lanes-choose-the-query
//# finds candidate-dependent-result
//# scene Scene: triangles(0 1 -1, -1 -1 -1, 1 -1 -1, 0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    const uint flags = RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH;
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 9 };
    RayQuery<flags> queries[2];
    for (uint i = 0; i < 2; i++) {
        queries[i].TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
        queries[i].Proceed();
    }
    EXPECT_EQ(queries[lane & 1].CommittedPrimitiveIndex(), 1u);
}
