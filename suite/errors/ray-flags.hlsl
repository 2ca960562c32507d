// Flags of ray queries that exclude each other.

//--- flags-of-a-type-that-exclude-each-other
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# finds ray-flags
RaytracingAccelerationStructure Scene;
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_CULL_OPAQUE> q; //~ warning[ray-flags]: `RAY_FLAG_FORCE_OPAQUE` and `RAY_FLAG_CULL_OPAQUE` exclude each other
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
}
//| FILE:6:14: warning: `RAY_FLAG_FORCE_OPAQUE` and `RAY_FLAG_CULL_OPAQUE` exclude each other [ray-flags]
//|   |
//| 6 |     RayQuery<RAY_FLAG_FORCE_OPAQUE | RAY_FLAG_CULL_OPAQUE> q;
//|   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: keep one of them

//--- flags-of-a-type-and-a-call-that-exclude-each-other
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# finds ray-flags
RaytracingAccelerationStructure Scene;
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_SKIP_TRIANGLES> q;
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, -1), 100 };
    q.TraceRayInline(Scene, RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, 0xff, ray); //~ warning[ray-flags]: `RAY_FLAG_SKIP_TRIANGLES` and `RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES` exclude each other
}
//| FILE:8:29: warning: `RAY_FLAG_SKIP_TRIANGLES` and `RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES` exclude each other [ray-flags]
//|   |
//| 8 |     q.TraceRayInline(Scene, RAY_FLAG_SKIP_PROCEDURAL_PRIMITIVES, 0xff, ray);
//|   |                             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: the flags in the type of the query, 0x100, are added to those of the call

//--- a-flag-of-micromaps-without-them
//# args -T cs_6_9
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_FORCE_OMM_2_STATE> q; //~ error[ray-flags]: `RAY_FLAG_FORCE_OMM_2_STATE` needs `RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS`
}
//| FILE:4:14: error: `RAY_FLAG_FORCE_OMM_2_STATE` needs `RAYQUERY_FLAG_ALLOW_OPACITY_MICROMAPS` [ray-flags]
//|   |
//| 4 |     RayQuery<RAY_FLAG_FORCE_OMM_2_STATE> q;
//|   |              ^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: add it as the second template argument of `RayQuery`

//--- numbers-that-are-not-flags
[numthreads(4, 1, 1)] void main() {
    RayQuery<0x1000> q; //~ error[bad-template]: 0x1000 is not a combination of ray flags
}
//| FILE:3:14: error: 0x1000 is not a combination of ray flags [bad-template]
//|   |
//| 3 |     RayQuery<0x1000> q;
//|   |              ^^^^^^
//|   |
//|   = help: write `RAY_FLAG_NONE`, or flags that start with `RAY_FLAG_`

//--- queries-of-different-types
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE> a;
    RayQuery<RAY_FLAG_FORCE_OPAQUE> b = a; //~ error[type-mismatch]: RayQuery
}
//| FILE:4:41: error: `RayQuery<0x0>` does not convert to `RayQuery<0x1>` [type-mismatch]
//|   |
//| 4 |     RayQuery<RAY_FLAG_FORCE_OPAQUE> b = a;
//|   |                                         ^ this is `RayQuery<0x0>`

//--- a-query-cannot-be-groupshared
groupshared RayQuery<RAY_FLAG_NONE> q; //~ error[bad-declaration]: `q` is or contains a resource
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:37: error: `q` is or contains a resource, so it cannot be groupshared [bad-declaration]
//|   |
//| 2 | groupshared RayQuery<RAY_FLAG_NONE> q;
//|   |                                     ^

//--- a-query-cannot-be-bound
RayQuery<RAY_FLAG_NONE> q; //~ error[bad-declaration]: `q` is a ray query, which no host can bind
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:25: error: `q` is a ray query, which no host can bind [bad-declaration]
//|   |
//| 2 | RayQuery<RAY_FLAG_NONE> q;
//|   |                         ^
//|   |
//|   = help: declare it in a function, or `static`

//--- a-buffer-cannot-hold-queries
struct Held { RayQuery<RAY_FLAG_NONE> q; };
RWStructuredBuffer<Held> Out; //~ error[type-mismatch]: a buffer cannot hold `Held`
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:1: error: a buffer cannot hold `Held`, which is or contains a resource [type-mismatch]
//|   |
//| 3 | RWStructuredBuffer<Held> Out;
//|   | ^^^^^^^^^^^^^^^^^^^^^^^^

//--- queries-need-shader-model-6-5
//# args -T cs_6_4
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE> q;
    q.Abort(); //~ error[needs-shader-model]: `Abort` requires shader model 6.5
}
//| FILE:5:5: error: `Abort` requires shader model 6.5, but the profile has 6.4 [needs-shader-model]
//|   |
//| 5 |     q.Abort();
//|   |     ^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_5`

//--- the-second-argument-needs-shader-model-6-9
//# args -T cs_6_8
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE, RAYQUERY_FLAG_NONE> q; //~ error[needs-shader-model]: the second template argument of `RayQuery` requires shader model 6.9
}
//| FILE:4:29: error: the second template argument of `RayQuery` requires shader model 6.9, but the profile has 6.8 [needs-shader-model]
//|   |
//| 4 |     RayQuery<RAY_FLAG_NONE, RAYQUERY_FLAG_NONE> q;
//|   |                             ^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_9`

//--- positions-need-shader-model-6-10
//# args -T cs_6_9
[numthreads(4, 1, 1)] void main() {
    RayQuery<RAY_FLAG_NONE> q;
    float3 at = q.CommittedTriangleObjectPositions().p0; //~ error[needs-shader-model]: `CommittedTriangleObjectPositions` requires shader model 6.10
}
//| FILE:5:17: error: `CommittedTriangleObjectPositions` requires shader model 6.10, but the profile has 6.9 [needs-shader-model]
//|   |
//| 5 |     float3 at = q.CommittedTriangleObjectPositions().p0;
//|   |                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_10`
