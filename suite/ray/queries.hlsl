// Queries as objects: variables are references, and each lane has its own machine.

//--- a-copy-is-a-reference
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
typedef RayQuery<RAY_FLAG_NONE> Query;
struct Held { uint before; Query query; uint after; };
void Start(Query q, float z) {
    RayDesc ray = { float3(0, 0, z), 0, float3(0, 0, -1), 1000 };
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
}
Query Same(Query q) { return q; }
static Query Shared;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Query a;
    Query b = a;
    Start(a, lane + 1);
    b.Proceed();
    EXPECT_EQ(a.CommittedRayT(), lane + 1.0);
    Query c;
    c = Same(b);
    EXPECT_EQ(c.CommittedRayT(), lane + 1.0);
    // A member, and a static variable.
    Held held;
    held.before = 5;
    Start(held.query, 7);
    held.query.Proceed();
    EXPECT_EQ(held.query.CommittedRayT(), 7.0);
    EXPECT_EQ(held.before, 5u);
    Start(Shared, 9);
    Shared.Proceed();
    EXPECT_EQ(Shared.CommittedRayT(), 9.0);
    EXPECT_EQ(a.CommittedRayT(), lane + 1.0);
    // A temporary is another query.
    c = RayQuery<RAY_FLAG_NONE>();
    Start(c, 11);
    c.Proceed();
    EXPECT_EQ(c.CommittedRayT(), 11.0);
    EXPECT_EQ(b.CommittedRayT(), lane + 1.0);
}

//--- lanes-hold-different-queries
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayQuery<RAY_FLAG_NONE> q[3];
    for (uint i = 0; i < 3; ++i) {
        RayDesc ray = { float3(0, 0, i + 1), 0, float3(0, 0, -1), 100 };
        q[(i + lane) % 3].TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    }
    // Only one of each lane's queries goes on.
    q[lane % 3].Proceed();
    for (uint j = 0; j < 3; ++j) {
        EXPECT_EQ(q[j].CommittedStatus(), j == lane % 3 ? COMMITTED_TRIANGLE_HIT : COMMITTED_NOTHING);
    }
    EXPECT_EQ(q[lane % 3].CommittedRayT(), 1.0);
    RayQuery<RAY_FLAG_NONE> chosen = q[0];
    if (lane & 1) chosen = q[1];
    chosen.Proceed();
    uint number = lane & 1;
    EXPECT_EQ(chosen.CommittedRayT(), (number + 3 - lane % 3) % 3 + 1.0);
}

//--- a-declaration-makes-a-new-query-each-time
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float sum = 0;
    for (uint i = 0; i <= lane % 3; ++i) {
        RayQuery<RAY_FLAG_NONE> q;
        RayDesc ray = { float3(0, 0, i + 1), 0, float3(0, 0, -1), 100 };
        q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
        q.Proceed();
        sum += q.CommittedRayT();
    }
    float sums[3] = { 1, 3, 6 };
    EXPECT_EQ(sum, sums[lane % 3]);
}

//--- wave-operations-between-calls
//# finds candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1, 0 1 -2, -1 -1 -2, 1 -1 -2, 0 1 -3, -1 -1 -3, 1 -1 -3)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // A lane meets lane % 4 + 1 of the four triangles.
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), lane % 4 + 1.5 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    uint round = 0;
    while (q.Proceed()) {
        ++round;
        EXPECT_EQ(WaveActiveCountBits(true), WIDTH / 4 * (5 - round));
        EXPECT_EQ(WaveActiveMax(q.CandidateTriangleRayT()), float(round));
        // Lanes swap what their queries tell.
        EXPECT_EQ(WaveReadLaneFirst(q.CandidatePrimitiveIndex()), round - 1);
    }
    EXPECT_EQ(round, lane % 4 + 1);
    EXPECT_EQ(WaveActiveSum(round), WIDTH / 4 * 10);
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
}

//--- queries-in-divergent-loops
//# finds candidate-dependent-result
//# scene Scene: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0, 0 1 -1, -1 -1 -1, 1 -1 -1, 0 1 -2, -1 -1 -2, 1 -1 -2)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint total = 0;
    for (uint bounce = 0; bounce < lane % 3 + 1; ++bounce) {
        RayQuery<RAY_FLAG_NONE> q;
        RayDesc ray = { float3(0, 0, 1 - float(bounce)), 0, float3(0, 0, -1), 100 };
        q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
        while (q.Proceed()) {
            if (q.CandidatePrimitiveIndex() == 1 && (lane & 1)) {
                q.CommitNonOpaqueTriangleHit();
                break;
            }
            ++total;
            if (q.CandidatePrimitiveIndex() == 0) continue;
            total += 10;
        }
        if (q.CommittedStatus() == COMMITTED_TRIANGLE_HIT) total += 100;
    }
    // From the first origin a lane meets all three triangles, from the next ones two and one.
    uint rest = 0;
    for (uint i = 0; i < lane % 3 + 1; ++i) {
        bool stops = (lane & 1) && i < 2;
        rest += stops ? (i == 0 ? 1 : 0) + 100 : (i == 0 ? 1 : 0) + 11 * (i < 2 ? 2 : 1);
    }
    EXPECT_EQ(total, rest);
}

//--- queries-after-barriers
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# groups 2 1 1
RaytracingAccelerationStructure Scene;
groupshared float Near[2 * WIDTH];
[numthreads(2 * WIDTH, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, thread + 1), 0, float3(0, 0, -1), 1000 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    Near[thread] = 0;
    GroupMemoryBarrierWithGroupSync();
    q.Proceed();
    Near[thread] = q.CommittedRayT();
    GroupMemoryBarrierWithGroupSync();
    uint other = 2 * WIDTH - 1 - thread;
    EXPECT_EQ(Near[other], other + 1.0);
    EXPECT_EQ(q.CommittedRayT(), thread + 1.0);
}
