// Results that depend on which pixels form a quad, and on which of its lanes a coarse derivative compares.

//--- a-derivative-across-a-jump
//# draw 8x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float tile = uint(v.position.x) / 4;
    return ddx(tile); //? depends-on-quads: `Target` depends on which pixels form a quad
}

//--- a-derivative-across-a-jump-beside-a-rounded-one
// The first derivative differs too, by rounding, and is not behind the channel that differs.
//# draw 8x4
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float slope = ddy((v.position.x + v.position.y) * 0.3f);
    float tile = uint(v.position.x) / 4;
    return float4(slope, ddx(tile), 0, 1); //? depends-on-quads: `Target` depends on which pixels form a quad
}

//--- a-derivative-of-a-smooth-value
//# draw 8x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float tile = v.position.x / 4;
    return ddx(tile);
}
//= Target f32: 0.25*64

//--- a-quad-taken-for-a-tile
//# draw 4x4
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return max(v.position.x, QuadReadAcrossX(v.position.x)); //? depends-on-quads: which pixels form a quad
}

//--- a-row-of-a-quad
// The rows differ, and a coarse derivative may come from either.
//# draw 2x2
//# san --orders=coarse=lower
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return ddx_coarse(v.position.x * v.position.y); //? depends-on-quads: which lanes a coarse derivative compares
}

//--- a-fine-derivative
//# draw 2x2
//# san --orders=coarse=lower
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return ddx_fine(v.position.x * v.position.y);
}
//= Target f32: 0.5*8 1.5*8
