// Arrays accessed beyond their end.

//--- san-a-place-for-each-wave-of-32
//# args -Wno-assumed-wave-count
//# finds width-dependent-result
//# zero Out 512
groupshared uint sums[128 / 32];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    uint wave = t / WaveGetLaneCount();
    if (WaveIsFirstLane()) sums[wave] = sum; //? out-of-bounds: `sums` is written beyond its end
    GroupMemoryBarrierWithGroupSync();
    if (t < 128 / WaveGetLaneCount()) Out[t] = sums[t]; //? out-of-bounds: `sums` is read beyond its end
}

//--- san-a-place-for-each-wave-of-4
//# san --width-dependent=Out
//# zero Out 512
//= Out u32 @4: 6 22 38 54
groupshared uint sums[128 / 4];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    uint wave = t / WaveGetLaneCount();
    if (WaveIsFirstLane()) sums[wave] = sum;
    GroupMemoryBarrierWithGroupSync();
    if (t < 128 / WaveGetLaneCount()) Out[t] = sums[t];
}

//--- san-a-sample-that-is-not-there
//# draw 2x2
//# raster Samples: 4
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return EvaluateAttributeAtSample(v.uv, 9).xyxy; //? out-of-bounds: the input `TEXCOORD0` is evaluated at a sample that the target does not have
}

//--- san-a-sample-that-is-there
//# draw 2x2
//# raster Samples: 4
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return EvaluateAttributeAtSample(v.uv, 3).x > 0;
}
//= Target f32: 1*16

//--- san-a-vertex-that-a-line-does-not-have
//# draw 4x4 vertices 2
//# raster Topology: LineList
struct Flat { float4 position : SV_Position; nointerpolation float id : ID; };
Flat vs(uint id : SV_VertexID) {
    Flat v;
    v.position = float4(id == 0 ? -1 : 1, 0.25, 0, 1);
    v.id = id;
    return v;
}
float4 ps(Flat v) : SV_Target {
    return GetAttributeAtVertex(v.id, 2); //? out-of-bounds: help: vertices count from 0
}
