// Several samples for each pixel: where they lie, and what a shader sees of them.

//--- two-samples
// A triangle over the left half of the pixel.
//# draw 1x1
//# raster Samples: 2
//# zero Out 4
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(0, 5), float2(0, -5), float2(-9, 0) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v, uint covered : SV_Coverage) : SV_Target {
    Out[0] = covered;
    return 1;
}
//= Out u32: 2
//= Target f32: 0.5*4

//--- eight-samples
//# draw 1x1
//# raster Samples: 8
//# zero Out 4
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(0, 5), float2(0, -5), float2(-9, 0) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v, uint covered : SV_Coverage) : SV_Target {
    Out[0] = covered;
    return 1;
}
//= Out u32: 58
//= Target f32: 0.5*4

//--- sixteen-samples
// One of them lies on the edge, which does not belong to the triangle.
//# draw 1x1
//# raster Samples: 16
//# zero Out 4
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(0, 5), float2(0, -5), float2(-9, 0) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v, uint covered : SV_Coverage) : SV_Target {
    Out[0] = covered;
    return 1;
}
//= Out u32: 40214
//= Target f32: 0.5*4

//--- the-centroid-is-the-first-covered-sample
// u is the distance from the left edge of the pixel. Of the four samples, 0 and 2 are covered.
//# draw 1x1
//# raster Samples: 4
//# zero Out 4
RWStructuredBuffer<float> Out : register(u0);
struct V { float4 position : SV_Position; noperspective float u : U; noperspective centroid float c : C; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(0, 5), float2(0, -5), float2(-9, 0) };
    V v;
    v.position = float4(corners[id], 0, 1);
    v.u = v.c = (corners[id].x + 1) / 2;
    return v;
}
float4 ps(V v) : SV_Target {
    EXPECT_EQ(v.u, 0.5f);
    EXPECT_EQ(v.c, 0.375f);
    EXPECT_EQ(EvaluateAttributeCentroid(v.u), 0.375f);
    EXPECT_EQ(EvaluateAttributeAtSample(v.u, 1), 0.875f);
    Out[0] = v.c;
    return v.c;
}
//= Out f32: 0.375
//= Target f32: 0.1875*4

//--- the-centroid-of-a-whole-pixel-is-its-centre
//# draw 1x1
//# raster Samples: 4
struct V { float4 position : SV_Position; noperspective centroid float c : C; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    v.c = v.position.x;
    return v;
}
float4 ps(V v) : SV_Target { return v.c + 1; }
//= Target f32: 1*4

//--- each-sample-has-its-depth
// The right half of the pixel lies behind what the first triangle has left.
//# draw 1x1 vertices 6
//# raster Samples: 4
struct V { float4 position : SV_Position; nointerpolation uint primitive : P; };
V vs(uint id : SV_VertexID) {
    V v;
    float x = id % 3 == 1 ? 3 : -1;
    v.position = float4(x, id % 3 == 2 ? -3 : 1, id < 3 ? 0.5 : x * 0.25 + 0.5, 1);
    v.primitive = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return v.primitive; }
//= Target f32: 0.5*4

//--- alpha-that-is-not-a-number-covers-nothing
//# draw 1x1
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return float4(1, 1, 1, asfloat(0x7fc00000)); }
//= Target f32: 0*4

//--- a-coverage-that-is-written-replaces-that-of-alpha
//# draw 1x1
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
#include "fullscreen.hlsli"
float4 ps(V v, out uint coverage : SV_Coverage) : SV_Target {
    coverage = 0xf;
    return float4(1, 1, 1, 0);
}
//= Target f32: 1 1 1 0
