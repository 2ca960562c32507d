// The shaders of a ray tracing pipeline, for the sections of rays.hlsl.
struct [raypayload] Payload {
    float3 color : read(caller) : write(closesthit, miss, caller);
    uint depth : read(caller, closesthit) : write(caller);
};

struct Shared {
    float4 data;
};

typedef BuiltInTriangleIntersectionAttributes Attributes;

StateObjectConfig config = { STATE_OBJECT_FLAGS_ALLOW_LOCAL_DEPENDENCIES_ON_EXTERNAL_DEFINITIONS };
GlobalRootSignature global_root = { "SRV(t0)" };
LocalRootSignature local_root = { "CBV(b1)" };
SubobjectToExportsAssociation association = { "local_root", "hit" };
RaytracingShaderConfig shader_config = { 16, 8 };
RaytracingPipelineConfig pipeline_config = { 2 };
RaytracingPipelineConfig1 pipeline_config_1 = { 2, RAYTRACING_PIPELINE_FLAG_SKIP_TRIANGLES };
TriangleHitGroup hit_group = { "any_hit", "closest_hit" };
ProceduralPrimitiveHitGroup procedural = { "any_hit", "closest_hit", "intersection" };

RaytracingAccelerationStructure scene : register(t0);
RWTexture2D<float4> target_ : register(u0);

RayDesc ray_of(float3 from, float3 to) {
    RayDesc ray;
    ray.Origin = from;
    ray.Direction = normalize(to - from);
    ray.TMin = 0.001f;
    ray.TMax = 1e30f;
    return ray;
}

[shader("raygeneration")]
void ray_generation() {
    Payload payload = (Payload)0;
    uint3 at = DispatchRaysIndex();
    RayDesc ray = ray_of(0, float3(at.xy / (float2)DispatchRaysDimensions().xy, 1));
    TraceRay(scene, RAY_FLAG_CULL_BACK_FACING_TRIANGLES | RAY_FLAG_FORCE_OPAQUE, 0xff, 0, 1, 0, ray, payload);
    Shared shared_ = { float4(payload.color, 1) };
    CallShader(at.z, shared_);
    target_[at.xy] = shared_.data;
}

[shader("miss")]
void miss(inout Payload payload) {
    payload.color = WorldRayDirection() * RayTMin();
}

[shader("closesthit")]
void closest_hit(inout Payload payload, in Attributes attributes) {
    float3 weights = float3(1 - attributes.barycentrics.x - attributes.barycentrics.y, attributes.barycentrics);
    payload.color = mul(ObjectToWorld3x4(), float4(weights, 1)) * RayTCurrent();
    payload.color += PrimitiveIndex() + InstanceID() + InstanceIndex() + GeometryIndex() + (float)HitKind();
    if (HitKind() == HIT_KIND_TRIANGLE_FRONT_FACE && payload.depth < 3) {
        RayDesc next = { WorldRayOrigin(), RayTMin(), mul(float4(ObjectRayDirection(), 0), WorldToObject4x3()), 1.0 };
        TraceRay(scene, RayFlags(), ~0, 0, 1, 0, next, payload);
    }
}

[shader("anyhit")]
void any_hit(inout Payload payload, Attributes attributes) {
    if (attributes.barycentrics.x > 0.5) IgnoreHit();
    AcceptHitAndEndSearch();
}

struct Hit {
    float2 at;
};

[shader("intersection")]
void intersection() {
    Hit hit = { ObjectRayOrigin().xy };
    ReportHit(RayTCurrent(), 1, hit);
}

[shader("callable")]
void callable(inout Shared parameter) {
    parameter.data = 1;
}

// Rays from inside of any shader.
float visibility(float3 from, float3 to) {
    RayQuery<RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES | RAY_FLAG_ACCEPT_FIRST_HIT_AND_END_SEARCH> query;
    query.TraceRayInline(scene, RAY_FLAG_NONE, 0xff, ray_of(from, to));
    while (query.Proceed()) {
        if (query.CandidateType() == CANDIDATE_NON_OPAQUE_TRIANGLE) {
            float2 at = query.CandidateTriangleBarycentrics();
            if (at.x > at.y && query.CandidateTriangleFrontFace()) query.CommitNonOpaqueTriangleHit();
            else query.Abort();
        } else {
            query.CommitProceduralPrimitiveHit(query.RayTMin());
        }
    }
    if (query.CommittedStatus() == COMMITTED_TRIANGLE_HIT) {
        float3 normal = mul(query.CommittedWorldToObject3x4(), float4(query.WorldRayOrigin(), 0));
        return normal.x + query.CommittedRayT() + query.CommittedPrimitiveIndex();
    }
    return 0;
}
