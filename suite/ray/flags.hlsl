// Flags of rays, instances and geometries, and which of them count before others.

//--- flags-decide-what-is-opaque
//# finds unread-candidates
//# scene Scene: mask 1: triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 2: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 4, flags 4: non-opaque triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 8, flags 8: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
// 0: neither a candidate nor a hit, 1: a candidate, 2: a hit
uint Told(uint flags, uint mask) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, flags, mask, ray);
    if (q.Proceed()) return 1;
    return q.CommittedStatus() == COMMITTED_TRIANGLE_HIT ? 2 : 0;
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // The instances: opaque, not opaque, forced to be opaque, forced not to be.
    uint mask = 1u << (lane & 3);
    bool opaque = (lane & 3) == 0 || (lane & 3) == 2;
    EXPECT_EQ(Told(RAY_FLAG_NONE, mask), opaque ? 2u : 1u);
    EXPECT_EQ(Told(RAY_FLAG_FORCE_OPAQUE, mask), 2u);
    EXPECT_EQ(Told(RAY_FLAG_FORCE_NON_OPAQUE, mask), 1u);
    EXPECT_EQ(Told(RAY_FLAG_CULL_OPAQUE, mask), opaque ? 0u : 1u);
    EXPECT_EQ(Told(RAY_FLAG_CULL_NON_OPAQUE, mask), opaque ? 2u : 0u);
    EXPECT_EQ(Told(RAY_FLAG_SKIP_TRIANGLES, mask), 0u);
    EXPECT_EQ(Told(RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, mask), opaque ? 2u : 1u);
}

//--- masks-choose-instances
//# scene Scene: mask 1: triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 128: triangles(0 1 -1, -1 -1 -1, 1 -1 -1) | mask 0: triangles(0 1 0.5, -1 -1 0.5, 1 -1 0.5)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // Only the low eight bits count.
    uint masks[4] = { 0x101, 0xffffff80, 0x100, 0xff };
    float near[4] = { 1, 2, 100, 1 };
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, masks[lane & 3], ray);
    q.Proceed();
    EXPECT_EQ(q.CommittedRayT(), near[lane & 3]);
}

//--- faces-are-culled-unless-the-instance-objects
//# scene Scene: mask 1: triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 2, flags 1: triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 4, flags 2: triangles(0 1 0, -1 -1 0, 1 -1 0) | mask 8, matrix -1 0 0 0 0 1 0 0 0 0 1 0: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
bool Hit(uint flags, uint mask) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, flags, mask, ray);
    q.Proceed();
    return q.CommittedStatus() == COMMITTED_TRIANGLE_HIT;
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint which = lane & 3, mask = 1u << which;
    EXPECT(Hit(RAY_FLAG_NONE, mask));
    // Seen from the front, but the third instance counts the other way; a mirroring matrix changes nothing.
    EXPECT_EQ(Hit(RAY_FLAG_CULL_BACK_FACING_TRIANGLES, mask), which != 2);
    EXPECT_EQ(Hit(RAY_FLAG_CULL_FRONT_FACING_TRIANGLES, mask), which == 1 || which == 2);
    // No instance objects to triangles being skipped.
    EXPECT(!Hit(RAY_FLAG_SKIP_TRIANGLES, mask));
}

//--- boxes-are-culled-by-their-opacity
//# finds unread-candidates
//# scene Scene: mask 1: boxes(-1 -1 -1 1 1 1) | mask 2: non-opaque boxes(-1 -1 -1 1 1 1)
RaytracingAccelerationStructure Scene;
bool Offered(uint flags, uint mask) {
    RayDesc ray = { float3(0, 0, 3), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_NONE> q;
    q.TraceRayInline(Scene, flags, mask, ray);
    return q.Proceed();
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint mask = 1u << (lane & 1);
    bool opaque = !(lane & 1);
    EXPECT(Offered(RAY_FLAG_NONE, mask));
    EXPECT(Offered(RAY_FLAG_FORCE_OPAQUE, mask));
    EXPECT(Offered(RAY_FLAG_CULL_BACK_FACING_TRIANGLES, mask));
    EXPECT(Offered(RAY_FLAG_SKIP_TRIANGLES, mask));
    EXPECT(!Offered(RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, mask));
    EXPECT_EQ(Offered(RAY_FLAG_CULL_OPAQUE, mask), !opaque);
    EXPECT_EQ(Offered(RAY_FLAG_CULL_NON_OPAQUE, mask), opaque);
}

//--- flags-of-micromaps-and-clusters-change-nothing
//# args -T cs_6_10
//# scene Scene: flags 48: triangles(0 1 0, -1 -1 0, 1 -1 0)
RaytracingAccelerationStructure Scene;
[numthreads(WIDTH, 1, 1)]
void main() {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OMM_2_STATE, RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    EXPECT_EQ(q.CommittedRayT(), 1.0);
    EXPECT_EQ(q.RayFlags(), RAY_FLAG_FORCE_OMM_2_STATE);
}
