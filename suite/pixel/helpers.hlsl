// Helper lanes: which lanes they are, what they take part in, and what becomes of a lane that is discarded.

//--- lanes-outside-of-the-triangle-are-helpers
// A triangle that covers the pixel (0, 0) alone: the other lanes of the quad are helpers.
//# draw 2x2
//# finds depends-on-helpers
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-1, 1), float2(0.25, 1), float2(-1, -0.25) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
float4 ps(V v) : SV_Target {
    uint helper = IsHelperLane();
    // Quads see helpers: three of the four lanes are.
    uint quad = helper + QuadReadAcrossX(helper) + QuadReadAcrossY(helper) + QuadReadAcrossDiagonal(helper);
    EXPECT_EQ(quad, 3);
    EXPECT_EQ(helper, 0);
    // Waves do not.
    EXPECT_EQ(WaveActiveCountBits(true), 1);
    EXPECT_EQ(WaveActiveBallot(true).x, 1);
    return float4(quad, 0, 0, 1);
}
//= Target f32: 3 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0

//--- helpers-extrapolate
// u is linear over the target, outside of the triangle too.
//# draw 4x4
//# finds depends-on-quads
struct V { float4 position : SV_Position; float u : U; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-1, 1), float2(-0.25, 1), float2(-1, 0.25) };
    V v;
    v.position = float4(corners[id], 0, 1);
    v.u = corners[id].x;
    return v;
}
float4 ps(V v) : SV_Target {
    return float4(QuadReadLaneAt(v.u, 1), ddx(v.u), ddy(v.u), 1);
}
//= Target f32: -0.25 0.5 0 1 0*12

//--- a-discarded-lane-becomes-a-helper
// The left half of each quad is discarded and goes on: it takes part in quads, and not in waves.
//# draw 4x4
//# finds depends-on-helpers depends-on-packing
//# zero Out 64
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint2 at = uint2(v.position.xy);
    EXPECT(!IsHelperLane());
    if ((at.x & 1) == 0) discard;
    uint helper = IsHelperLane();
    EXPECT_EQ(WaveActiveCountBits(true), min(WIDTH, 16) / 2);
    EXPECT(QuadReadAcrossX(helper) != helper);
    EXPECT_EQ(WaveReadLaneFirst(at.x) & 1, 1);
    // Its stores have no effect.
    Out[at.y * 4 + at.x] = 7;
    return 1;
}
//= Out u32: 0 7 0 7 0 7 0 7 0 7 0 7 0 7 0 7
//= Target f32: 0*4 1*4 0*4 1*4

//--- clip-discards-what-is-negative
//# draw 4x1
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    clip(float2(1, v.position.x - 2));
    return v.position.x;
}
//= Target f32: 0*8 2.5*4 3.5*4

//--- stores-before-a-discard-remain
//# draw 2x1
//# zero Out 8
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint x = uint(v.position.x);
    Out[x] = 1;
    if (x == 0) discard;
    Out[x] = 2;
    return 1;
}
//= Out u32: 1 2

//--- a-quad-of-helpers-retires
// All of the quad at (0, 0) is discarded: what other quads count does not change, and the wave ends without it.
//# draw 4x2
//# zero Out 32
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint2 at = uint2(v.position.xy);
    if (at.x < 2) discard;
    uint rounds = 0;
    // Endless for helpers, if they were not retired.
    while (WaveActiveAnyTrue(rounds < 3)) rounds++;
    Out[at.y * 4 + at.x] = rounds;
    return 1;
}
//= Out u32: 0 0 3 3 0 0 3 3

//--- derivatives-after-a-discard-are-defined
//# draw 4x2
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if ((uint(v.position.x) & 1) == 0) discard;
    return ddx(v.position.x);
}
//= Target f32: 0*4 1*4 0*4 1*4 0*4 1*4 0*4 1*4

//--- included-helpers-contribute
// With the attribute, wave operations take helpers in.
//# draw 2x2
//# args -T ps_6_7
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-1, 1), float2(0.25, 1), float2(-1, -0.25) };
    V v;
    v.position = float4(corners[id], 0, 1);
    return v;
}
[WaveOpsIncludeHelperLanes]
float4 ps(V v) : SV_Target {
    EXPECT_EQ(WaveActiveBallot(true).x, 15);
    EXPECT_EQ(WaveActiveSum(uint(v.position.x)), 2);
    EXPECT_EQ(WaveReadLaneAt(WaveGetLaneIndex(), 3), 3);
    return 1;
}

//--- the-first-lane-is-not-a-helper
// Without the pixel (0, 0), lane 1 is the first of the wave.
//# draw 2x2
//# finds depends-on-helpers
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x < 1 && v.position.y < 1) discard;
    EXPECT(!IsHelperLane());
    EXPECT_EQ(WaveIsFirstLane(), WaveGetLaneIndex() == 1);
    EXPECT_EQ(WaveReadLaneFirst(WaveGetLaneIndex()), 1);
    EXPECT_EQ(WavePrefixCountBits(true), WaveGetLaneIndex() - 1);
    return 1;
}

//--- an-atomic-of-a-helper-has-no-effect
//# draw 2x2
//# zero Out 4
RWStructuredBuffer<uint> Out : register(u0);
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x < 1) discard;
    InterlockedAdd(Out[0], 1u);
    return 1;
}
//= Out u32: 2
