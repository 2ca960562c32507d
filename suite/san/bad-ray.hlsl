// The finding `bad-ray`, and its nearest right neighbour.

//--- bad-ray
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, normalize(float3(0, 0, -int(t))), 100 };   // 0 / 0 for thread 0
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray); //? bad-ray: contains a NaN
    q.Proceed();
    Out[t] = 5;
}

//--- bad-ray-not
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//= Out u32: 5 5
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, normalize(float3(0, 0, -int(t) - 1)), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = 5;
}

//--- a-ray-that-is-made-without-a-direction
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# widths 4
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RayDesc ray = { float3(0, 0, 1), 0, float3(0, 0, 0), 100 }; //? bad-ray: the direction is zero
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = 5;
}

//--- a-direction-that-is-computed
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 512
//# in At f32: 0 0 1
//# widths 4
RaytracingAccelerationStructure Scene;
StructuredBuffer<float3> At;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 way = float3(0, 0, 1) - At[0]; //? bad-ray: the direction of the ray is set here
    RayDesc ray = { At[0], 0, way, 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = 5;
}
