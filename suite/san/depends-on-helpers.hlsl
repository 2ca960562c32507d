// Results that depend on whether helper lanes take part in wave operations.

//--- helpers-that-may-count
//# draw 2x2
//# zero Count 4
RWStructuredBuffer<uint> Count : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    uint pixels = WaveActiveCountBits(true); //? depends-on-helpers: `Count` depends on what helper lanes do
    if (WaveIsFirstLane()) InterlockedAdd(Count[0], pixels);
    return 1;
}
//= Count u32: 2

//--- helpers-that-are-kept-away
//# draw 2x2
//# zero Count 4
RWStructuredBuffer<uint> Count : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    if (IsHelperLane()) return 0;
    uint pixels = WaveActiveCountBits(true);
    if (WaveIsFirstLane()) InterlockedAdd(Count[0], pixels);
    return 1;
}
//= Count u32: 2

//--- helpers-that-count-nothing
//# draw 2x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    return WaveActiveSum(IsHelperLane() ? 0.0f : 1.0f);
}
//= Target f32: 2*4 0*4 2*4 0*4

//--- helpers-beside-a-triangle
// They lie outside of the triangle, where the value is lower.
//# draw 2x2
struct V { float4 position : SV_Position; float u : U; };
V vs(uint id : SV_VertexID) {
    const float2 corners[3] = { float2(-1, 1), float2(0.25, 1), float2(-1, -0.25) };
    V v;
    v.position = float4(corners[id], 0, 1);
    v.u = -corners[id].x;
    return v;
}
float4 ps(V v) : SV_Target {
    return WaveActiveMin(v.u); //? depends-on-helpers: `Target` depends on what helper lanes do
}

//--- the-pixels-of-a-disc
// Of docs/pixels.md.
//# draw 16x16
//# zero Visible 4
//# widths 8 16 32 64 128
RWStructuredBuffer<uint> Visible : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (distance(v.position.xy, 8) > 6) discard;
    uint pixels = WaveActiveCountBits(true); //? depends-on-helpers: `Visible` depends on what helper lanes do
    if (WaveIsFirstLane()) InterlockedAdd(Visible[0], pixels);
    return 1;
}
//= Visible u32: 112

//--- the-pixels-of-a-disc-without-helpers
//# draw 16x16
//# zero Visible 4
//# widths 8 16 32 64 128
RWStructuredBuffer<uint> Visible : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (distance(v.position.xy, 8) > 6) discard;
    if (IsHelperLane()) return 0;
    uint pixels = WaveActiveCountBits(true);
    if (WaveIsFirstLane()) InterlockedAdd(Visible[0], pixels);
    return 1;
}
//= Visible u32: 112
