// The functions that round tessellation factors and derive those of the insides.

//--- integer-factors-are-rounded-up
// Factors are clamped to 1 and 64, NaN to the lower bound; scales to 0 and 1.
//# draw 1x1 vertices 3 patches 3
//# zero Out 112
#define PARTITIONING "integer"
RWStructuredBuffer<float> Out : register(u0);
void check() {
    float4 edges;
    float2 inside, unrounded;
    float4 raw = float4(0.5, 2.25, asfloat(0x7fc00000), 100);
    ProcessQuadTessFactorsAvg(raw, 0.5, edges, inside, unrounded);
    Out[0] = edges.x;
    Out[1] = edges.y;
    Out[2] = edges.z;
    Out[3] = edges.w;
    Out[4] = inside.x;
    Out[5] = inside.y;
    Out[6] = unrounded.x;
    Out[7] = unrounded.y;
    ProcessQuadTessFactorsMax(raw, 0.5, edges, inside, unrounded);
    Out[8] = inside.y;
    ProcessQuadTessFactorsMin(raw, 0.5, edges, inside, unrounded);
    Out[9] = inside.x;
    Out[10] = unrounded.x;
    Process2DQuadTessFactorsMax(raw, float2(1, 0.25), edges, inside, unrounded);
    Out[11] = inside.x;
    Out[12] = inside.y;
    Out[13] = unrounded.x;
    Process2DQuadTessFactorsAvg(raw, float2(1, 0.5), edges, inside, unrounded);
    Out[14] = inside.x;
    Out[15] = inside.y;
    Out[16] = unrounded.x;
    Out[17] = unrounded.y;
    Process2DQuadTessFactorsMin(raw, 1, edges, inside, unrounded);
    Out[18] = inside.x;
    Out[19] = inside.y;
    float3 tri;
    float center, exact;
    ProcessTriTessFactorsAvg(float3(1, 2, 6), 2, tri, center, exact);
    Out[20] = tri.z;
    Out[21] = center;
    ProcessTriTessFactorsMin(float3(4.5, 2.5, 6), 1, tri, center, exact);
    Out[22] = tri.x;
    Out[23] = center;
    Out[24] = exact;
    ProcessTriTessFactorsMax(float3(4.5, 2.5, 6), asfloat(0x7fc00000), tri, center, exact);
    Out[25] = center;
    float detail, density;
    ProcessIsolineTessFactors(2.5, 70, detail, density);
    Out[26] = detail;
    Out[27] = density;
}
#include "factors.hlsli"
//= Out f32: 1 3 1 64 14 14 13.03125 13.03125 50 1 1 3 25 2.25 2 26 1.625 25.25 1 1 6 3 5 3 2.5 1 3 64

//--- pow2-factors-are-rounded-up-to-powers
//# draw 1x1 vertices 3 patches 3
//# zero Out 32
#define PARTITIONING "pow2"
RWStructuredBuffer<float> Out : register(u0);
void check() {
    float4 edges;
    float2 inside, unrounded;
    ProcessQuadTessFactorsMax(float4(3, 4, 4.5, 33), 1, edges, inside, unrounded);
    Out[0] = edges.x;
    Out[1] = edges.y;
    Out[2] = edges.z;
    Out[3] = edges.w;
    Out[4] = inside.x;
    Out[5] = unrounded.x;
    float detail, density;
    ProcessIsolineTessFactors(5, asfloat(0x7fc00000), detail, density);
    Out[6] = detail;
    Out[7] = density;
}
#include "factors.hlsli"
//= Out f32: 4 4 8 64 64 33 8 1

//--- fractional-even-factors-are-at-least-2
//# draw 1x1 vertices 3 patches 3
//# zero Out 32
#define PARTITIONING "fractional_even"
RWStructuredBuffer<float> Out : register(u0);
void check() {
    float4 edges;
    float2 inside, unrounded;
    ProcessQuadTessFactorsAvg(float4(0.5, 3.5, 70, asfloat(0x7fc00000)), 1, edges, inside, unrounded);
    Out[0] = edges.x;
    Out[1] = edges.y;
    Out[2] = edges.z;
    Out[3] = edges.w;
    Out[4] = inside.x;
    Out[5] = unrounded.y;
    float3 tri;
    float center, exact;
    ProcessTriTessFactorsMax(float3(0.5, 3.5, 1), 0.25, tri, center, exact);
    Out[6] = center;
    Out[7] = exact;
}
#include "factors.hlsli"
//= Out f32: 2 3.5 64 2 18.875 18.875 2 2

//--- small-fractional-odd-insides-are-not-scaled
// Below 3 an inside is the average or the greatest of its edges, up to 3; in two directions the greater one counts for
// both as long as it is below 3.
//# draw 1x1 vertices 3 patches 3
//# zero Out 56
#define PARTITIONING "fractional_odd"
RWStructuredBuffer<float> Out : register(u0);
void check() {
    float4 edges;
    float2 inside, unrounded;
    float4 raw = float4(0.5, 3.5, 70, 1);
    ProcessQuadTessFactorsAvg(raw, 1, edges, inside, unrounded);
    Out[0] = edges.x;
    Out[1] = edges.y;
    Out[2] = edges.z;
    Out[3] = inside.x;
    ProcessQuadTessFactorsAvg(raw, 0.125, edges, inside, unrounded);
    Out[4] = inside.x;
    Out[5] = unrounded.y;
    float3 tri;
    float center, exact;
    ProcessTriTessFactorsMin(float3(1.5, 2, 8), 1, tri, center, exact);
    Out[6] = center;
    ProcessTriTessFactorsMax(float3(1.5, 2, 2.5), 0.5, tri, center, exact);
    Out[7] = center;
    Out[8] = exact;
    Process2DQuadTessFactorsAvg(float4(1, 1.5, 8, 9), 1, edges, inside, unrounded);
    Out[9] = inside.x;
    Out[10] = inside.y;
    Process2DQuadTessFactorsMax(float4(1, 1.5, 2, 2.5), 1, edges, inside, unrounded);
    Out[11] = inside.x;
    Out[12] = inside.y;
    Out[13] = unrounded.x;
}
#include "factors.hlsli"
//= Out f32: 1 3.5 63 18.875 3 3 3 2.5 2.5 3 8.5 2.5 2.5 2.5
