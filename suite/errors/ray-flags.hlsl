// Flags of ray queries that exclude each other.

//--- flags-of-a-type-that-exclude-each-other
RaytracingAccelerationStructure Scene;
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_CULL_OPAQUE> q; //~ error[ray-flags]: `RAY_FLAG_FORCE_OPAQUE` and `RAY_FLAG_CULL_OPAQUE` exclude each other
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
}

//--- flags-of-a-type-and-a-call-that-exclude-each-other
RaytracingAccelerationStructure Scene;
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_SKIP_TRIANGLES> q;
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    q.TraceRayInline(Scene, RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, 0xff, ray); //~ error[ray-flags]: `RAY_FLAG_SKIP_TRIANGLES` and `RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES` exclude each other
}

//--- a-flag-of-micromaps-without-them
//# args -T cs_6_9
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_FORCE_OMM_2_STATE> q; //~ error[ray-flags]: `RAY_FLAG_FORCE_OMM_2_STATE` needs `RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS`
}

//--- numbers-that-are-no-flags
[numthreads(4, 1, 1)] void main() {
    RayQuery<0x1000> q; //~ error[bad-template]: 0x1000 is not a combination of ray flags
}

//--- queries-of-different-types
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE> a;
    RayQuery<RAY_FLAG_FORCE_OPAQUE> b = a; //~ error[type-mismatch]: RayQuery
}

//--- a-query-cannot-be-groupshared
groupshared RayQuery<RAY_FLAG_NONE> q; //~ error[bad-declaration]: `q` is or contains a resource
[numthreads(4, 1, 1)] void main() {}

//--- a-query-cannot-be-bound
RayQuery<RAY_FLAG_NONE> q; //~ error[bad-declaration]: `q` is a ray query, which no host can bind
[numthreads(4, 1, 1)] void main() {}

//--- a-buffer-cannot-hold-queries
struct Held { RayQuery<RAY_FLAG_NONE> q; };
RWStructuredBuffer<Held> Out; //~ error[type-mismatch]: a buffer cannot hold `Held`
[numthreads(4, 1, 1)] void main() {}

//--- queries-need-shader-model-6-5
//# args -T cs_6_4
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE> q;
    q.Abort(); //~ error[needs-shader-model]: `Abort` requires shader model 6.5
}

//--- the-second-argument-needs-shader-model-6-9
//# args -T cs_6_8
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE, RAYQUERY_FLAG_NONE> q; //~ error[needs-shader-model]: the second template argument of `RayQuery` requires shader model 6.9
}

//--- positions-need-shader-model-6-10
//# args -T cs_6_9
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE> q;
    float3 at = q.CommittedTriangleObjectPositions().p0; //~ error[needs-shader-model]: `CommittedTriangleObjectPositions` requires shader model 6.10
}
