// Derivatives over quads: fine ones by row and column, coarse ones of the whole quad.

//--- fine-and-coarse-derivatives
// f = x·y at pixel centres: rows and columns differ.
//# draw 2x2
//# finds depends-on-quads
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float f = v.position.x * v.position.y;
    return float4(ddx_fine(f), ddy_fine(f), ddx_coarse(f), ddy_coarse(f));
}
//= Target f32: 0.5 0.5 0.5 0.5 0.5 1.5 0.5 0.5 1.5 0.5 0.5 0.5 1.5 1.5 0.5 0.5

//--- fwidth-adds-both
//# draw 2x2
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return fwidth(v.position.x * 2 - v.position.y * 4); }
//= Target f32: 6*16

//--- a-level-of-detail-is-implicit
// Texels are half a pixel wide, so that samples come from level 1.
//# draw 2x2
//# texture Tex R32_FLOAT 4x4 mips 2: 0*16 5*4
//# sampler Smp nearest
Texture2D<float> Tex : register(t0);
SamplerState Smp : register(s0);
#include "fullscreen.hlsli"
float4 ps(V v) : SV_Target { return Tex.Sample(Smp, v.uv); }
//= Target f32: 5*16
