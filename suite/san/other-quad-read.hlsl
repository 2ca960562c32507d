// Reads of lanes in other quads, whose pixels are unspecified.

//--- the-first-lane-of-the-wave
//# draw 4x4
//# widths 8 16 32
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float first = WaveReadLaneAt(v.uv.x, 0); //? other-quad-read: lane 0 is read
    return v.uv.x - first;
}

//--- the-first-lane-of-the-quad
//# draw 4x4
//# args -Wno-wave-derivative
//# widths 8 16 32
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float first = WaveReadLaneAt(v.uv.x, WaveGetLaneIndex() & ~3);
    return ddx(v.uv.x - first);
}
//= Target f32: 0.25*64

//--- a-lane-at-a-distance
//# draw 4x4
//# widths 8 16
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return WaveReadLaneAt(v.uv.x, WaveGetLaneIndex() ^ 4); //? other-quad-read
}

//--- a-lane-that-a-ballot-has-found
// Whichever lane it is, the value is the same.
//# draw 4x4
//# widths 8 16 32
struct V { float4 position : SV_Position; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, 0, 1);
    return v;
}
float4 ps(V v, uint primitive : SV_PrimitiveID) : SV_Target {
    uint found = firstbitlow(WaveActiveBallot(true).x);
    return WaveReadLaneAt(primitive + 7, found);
}
//= Target f32: 7*64
