// Quads and how they are packed into waves: which pixel is which lane.

//--- one-triangle-is-packed-quad-by-quad
// Pixels with x + y < 7 are covered: quad masks F F F 1, F F 1, F 1, 1, row by row.
//# draw 8x8
//# finds depends-on-helpers depends-on-packing truncated-mask
//# zero Out 1024
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-1, 1), float2(1, 1), float2(-1, -1) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    // The ballot of a wave is stored where its first quad is.
    uint4 ballot = WaveActiveBallot(true);
    uint first = WaveActiveMin(uint(v.position.y) * 8 + uint(v.position.x));
    if (WaveIsFirstLane()) Out[first] = ballot.x;
    return 1;
}
//= Out u32 @4: 15 0 15 0 15 0 1 0*9 15 0 15 0 1 0*11 15 0 1 0*13 1 0*15
//= Out u32 @8: 255 0*3 31 0*11 255 0*3 241 0*13 17 0*29
//= Out u32 @16: 8191 0*15 61951 0*17 17 0*29
//= Out u32 @32: 0xf1ff1fff 0*33 17 0*29
//= Out u32 @64: 0xf1ff1fff 0*63
//= Out u32 @128: 0xf1ff1fff 0*63

//--- two-triangles-share-waves
// A 4x4 target that two triangles tile: quad masks F 1 1, then E E F. Waves mix primitives.
//# draw 4x4 vertices 6
//# finds depends-on-helpers depends-on-packing permuted-result
//# zero Out 64
RWStructuredBuffer<uint> Out : register(u0);
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[6] = { float2(-1, 1), float2(1, 1), float2(-1, -1), float2(1, 1), float2(1, -1), float2(-1, -1) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target {
    // Primitives of the wave, a bit for each.
    uint primitives = WaveActiveBitOr(1u << primitive);
    uint count = WaveActiveCountBits(true);
    if (WaveIsFirstLane()) {
        uint slot;
        InterlockedAdd(Out[0], 1u, slot);
        Out[1 + slot] = count << 8 | primitives;
    }
    return 1;
}
//= Out u32 @4: 6 1025 257 257 770 770 1026
//= Out u32 @8: 3 1281 1027 1794
//= Out u32 @16: 2 2307 1794
//= Out u32 @32: 1 4099
//= Out u32 @64: 1 4099
//= Out u32 @128: 1 4099

//--- lanes-of-a-quad-are-its-pixels
// Lane 4k is the upper left pixel, then to the right, then the next row; quads are at even coordinates.
//# draw 4x4
//# finds depends-on-packing
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint2 at = uint2(v.position.xy);
    uint lane = WaveGetLaneIndex();
    EXPECT_EQ(at.x & 1, lane & 1);
    EXPECT_EQ(at.y & 1, lane >> 1 & 1);
    // Quads run row by row, so that the number of the pixel's quad follows from its place.
    uint quad = (at.y >> 1) * 2 + (at.x >> 1);
    EXPECT_EQ(lane, quad * 4 % WIDTH + (at.y & 1) * 2 + (at.x & 1));
    return 1;
}

//--- instances-share-waves
//# draw 2x2
//# finds depends-on-packing
//# raster Instances: 2
//# raster DepthStencil: { Func: Always }
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    EXPECT_EQ(WaveActiveCountBits(true), min(WIDTH, 8));
    return 1;
}

//--- a-rasterizer-ordered-view-closes-waves
// Two triangles over the same pixels: their quads are never in one wave, so that the second one sees what the first wrote.
//# draw 2x2 vertices 6
//# raster DepthStencil: { Func: Always }
//# zero Sums 16
RasterizerOrderedStructuredBuffer<uint> Sums : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target {
    uint at = uint(v.position.y) * 2 + uint(v.position.x);
    EXPECT_EQ(WaveActiveCountBits(true), 4);
    Sums[at] = Sums[at] * 10 + primitive + 1;
    return 1;
}
//= Sums u32: 12*4
