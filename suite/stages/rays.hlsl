// Ray tracing: shaders beside a compute shader, and queries inside one.

//--- a-file-of-ray-tracing-shaders
#include "rays.hlsli"
[shader("compute")]
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = ray_of(0, float3(0, 0, lane + 1));
    EXPECT_EQ(ray.TMax, 1e30f);
    EXPECT_EQ(ray.Direction.x, 0.0f);
    EXPECT_EQ(RAY_FLAG_FORCE_NON_OPAQUE | RAY_FLAG_CULL_OPAQUE, 0x42u);
}

//--- all-of-them-in-a-library
//# args -T lib_6_6
#include "rays.hlsli"

//--- the-ray-generation-shader
//# args -T lib_6_6 -E ray_generation
#include "rays.hlsli"

//--- the-closest-hit-shader
//# args -T lib_6_6 -E closest_hit
#include "rays.hlsli"

//--- a-ray-query-in-a-pixel-shader
//# args -T ps_6_5 -E ps
#include "rays.hlsli"
float ps(float3 at : WHERE) : SV_Target { return visibility(at, 0); }

//--- a-ray-in-a-compute-shader
#include "rays.hlsli"
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint3 at = DispatchRaysIndex(); //~ error[wrong-stage]: in a compute shader
}
//| FILE:5:16: error: `DispatchRaysIndex` is not available in a compute shader [wrong-stage]
//|   |
//| 5 |     uint3 at = DispatchRaysIndex();
//|   |                ^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: it is for ray tracing shaders

//--- an-intersection-that-traces
//# args -T lib_6_3 -E f
struct Payload { float x; };
RaytracingAccelerationStructure scene;
[shader("intersection")]
void f() {
    Payload payload = { 0 };
    RayDesc ray = (RayDesc)0;
    TraceRay(scene, 0, 0, 0, 0, 0, ray, payload); //~ error[wrong-stage]: in an intersection shader
}
//| FILE:9:5: error: `TraceRay` is not available in an intersection shader [wrong-stage]
//|   |
//| 9 |     TraceRay(scene, 0, 0, 0, 0, 0, ray, payload);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: it is for raygeneration, closesthit, miss shaders

//--- a-payload-that-is-not-a-struct
//# args -T lib_6_3 -E f
[shader("miss")]
void f(inout float payload) {} //~ error[bad-entry-point]: a struct, not `float`
//| FILE:4:20: error: the payload `payload` must be a struct, not `float` [bad-entry-point]
//|   |
//| 4 | void f(inout float payload) {}
//|   |                    ^^^^^^^

//--- a-payload-that-is-only-read
//# args -T lib_6_3 -E f
struct Payload { float x; };
[shader("closesthit")]
void f(Payload payload, BuiltInTriangleIntersectionAttributes a) {} //~ error[bad-entry-point]: must be `inout`
//| FILE:5:16: error: the payload `payload` must be `inout` [bad-entry-point]
//|   |
//| 5 | void f(Payload payload, BuiltInTriangleIntersectionAttributes a) {}
//|   |                ^^^^^^^

//--- a-closest-hit-shader-without-attributes
//# args -T lib_6_3 -E f
struct Payload { float x; };
[shader("closesthit")]
void f(inout Payload payload) {} //~ error[bad-entry-point]: takes a payload and attributes
//| FILE:5:6: error: a closesthit shader takes a payload and attributes [bad-entry-point]
//|   |
//| 5 | void f(inout Payload payload) {}
//|   |      ^

//--- rays-of-the-wrong-type
//# args -T lib_6_3 -E f
struct Payload { float x; };
RaytracingAccelerationStructure scene;
[shader("raygeneration")]
void f() {
    Payload payload = { 0 };
    TraceRay(scene, 0, 0, 0, 0, 0, float3(0, 0, 0), payload); //~ error[no-matching-function]: must be `RayDesc`
    TraceRay(scene, 0, 0, 0, 0, 0); //~ error[no-matching-function]: takes 8 arguments
}
//| FILE:8:5: error: `ray` of `TraceRay` must be `RayDesc`, but this is `float3` [no-matching-function]
//|   |
//| 8 |     TraceRay(scene, 0, 0, 0, 0, 0, float3(0, 0, 0), payload);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: `void TraceRay(RaytracingAccelerationStructure scene, uint flags, uint mask, uint contribution, uint multiplier, uint miss, RayDesc ray, inout T payload)`
//|
//| FILE:9:5: error: `TraceRay` takes 8 arguments, but 6 were given [no-matching-function]
//|   |
//| 9 |     TraceRay(scene, 0, 0, 0, 0, 0);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: `void TraceRay(RaytracingAccelerationStructure scene, uint flags, uint mask, uint contribution, uint multiplier, uint miss, RayDesc ray, inout T payload)`

//--- a-ray-description-has-four-members
RWBuffer<float> output;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RayDesc ray = (RayDesc)0;
    output[lane] = ray.TMn; //~ error[unknown-name]: `RayDesc` has no member `TMn`
}
//| FILE:6:24: error: `RayDesc` has no member `TMn` [unknown-name]
//|   |
//| 6 |     output[lane] = ray.TMn;
//|   |                        ^^^
//|   |
//|   = help: a similar name is `TMin`
//|   |
//| 6 -     output[lane] = ray.TMn;
//| 6 +     output[lane] = ray.TMin;

//--- a-query-without-flags
//# args -T ps_6_5 -E ps
float ps() : SV_Target {
    RayQuery query; //~ error[bad-template]: needs flags
    return 0;
}
//| FILE:4:5: error: `RayQuery` needs flags in `< >` [bad-template]
//|   |
//| 4 |     RayQuery query;
//|   |     ^^^^^^^^
//|   |
//|   = help: write `RayQuery<RAY_FLAG_NONE>`

//--- a-method-of-a-query-by-a-slip
//# args -T ps_6_5 -E ps
float ps() : SV_Target {
    RayQuery<RAY_FLAG_NONE> query;
    return query.CommitedRayT(); //~ error[unknown-name]: has no method `CommitedRayT`
}
//| FILE:5:18: error: `RayQuery<0x0>` has no method `CommitedRayT` [unknown-name]
//|   |
//| 5 |     return query.CommitedRayT();
//|   |                  ^^^^^^^^^^^^
//|   |
//|   = help: a similar name is `CommittedRayT`
//|   |
//| 5 -     return query.CommitedRayT();
//| 5 +     return query.CommittedRayT();

//--- a-kind-of-shader-that-is-not-there
//# args -T lib_6_3 -E f
[shader("closest_hit")] //~ error[bad-attribute]: cannot be
[numthreads(1, 1, 1)]
void f() {}
//| FILE:3:9: error: `shader` cannot be `"closest_hit"` [bad-attribute]
//|   |
//| 3 | [shader("closest_hit")]
//|   |         ^^^^^^^^^^^^^
//|   |
//|   = help: a similar word is `"closesthit"`
//|   |
//| 3 - [shader("closest_hit")]
//| 3 + [shader("closesthit")]

//--- a-shader-of-another-profile
//# args -T ps_6_3 -E f
[shader("vertex")]
float4 f() : SV_Position { return 0; } //~ error[bad-entry-point]: this is a vertex shader
//| FILE:4:8: error: this is a vertex shader, but the profile is for pixel shaders [bad-entry-point]
//|   |
//| 4 | float4 f() : SV_Position { return 0; }
//|   |        ^
//|   |
//|   = help: compile it with `-T vs_6_6`

//--- a-subobject-with-too-few-values
TriangleHitGroup group = { "any_hit" }; //~ error[bad-initializer]: a `TriangleHitGroup` takes 2 values in braces, not 1
[numthreads(WIDTH, 1, 1)]
void main() {}
//| FILE:2:18: error: a `TriangleHitGroup` takes 2 values in braces, not 1 [bad-initializer]
//|   |
//| 2 | TriangleHitGroup group = { "any_hit" };
//|   |                  ^^^^^
//|   |
//|   = note: the values are `{ string, string }`

//--- a-number-where-a-name-stands
LocalRootSignature root = { 1 }; //~ error[type-mismatch]: this value of a `LocalRootSignature` must be a `string`, but this is not a string
[numthreads(WIDTH, 1, 1)]
void main() {}
//| FILE:2:29: error: this value of a `LocalRootSignature` must be a `string`, but this is not a string [type-mismatch]
//|   |
//| 2 | LocalRootSignature root = { 1 };
//|   |                             ^

//--- the-flags-of-a-query-are-deduced
static const RAY_FLAG opaque = RAY_FLAG_FORCE_OPAQUE;
template<uint Flags>
uint flags_of(in RayQuery<Flags> query) { return Flags; }
uint unreached() {
    RayQuery<RAY_FLAG_CULL_BACK_FACING_TRIANGLES | opaque> query;
    return flags_of(query);
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(opaque, 1);
}
