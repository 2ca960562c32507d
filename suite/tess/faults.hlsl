// What the sanitizer finds in hull and domain shaders.

//--- a-control-point-is-not-set
//# draw 1x1 vertices 3 patches 3
//# finds uninitialized-value
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch) { return filled(1, patch[0].a); }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) {
    P p;
    p.at = patch[i].at;
    if (i > 0) p.a = patch[i].a;
    return p;
}
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) { return between(patch, uvw, patch[0].a); }
float4 ps(V v) : SV_Target { return v.a; }

//--- a-patch-constant-is-not-set
//# draw 1x1 vertices 6 patches 3
//# finds uninitialized-value
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch, uint id : SV_PrimitiveID) {
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = 1;
    if (id == 1) f.a = 2;
    return f;
}
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) { return between(patch, uvw, f.a); }
float4 ps(V v) : SV_Target { return v.a; }

//--- a-lane-without-a-patch-is-read
// Two patches are two lanes of the patch-constant function.
//# draw 1x1 vertices 6 patches 3
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch, uint id : SV_PrimitiveID) {
    float a = WaveReadLaneAt(patch[0].a, 2); //? inactive-lane-read: lane 2
    return filled(1, a);
}
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) { return between(patch, uvw, f.a); }
float4 ps(V v) : SV_Target { return v.a; }

//--- an-array-in-a-domain-shader
// The tessellator makes points at 0, 1/3, 2/3 and 1; there is no fourth weight.
//# draw 1x1 vertices 3 patches 3
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch) { return filled(3, 1); }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    float weights[3];
    weights[0] = 1;
    weights[1] = 2;
    weights[2] = 3;
    return between(patch, uvw, weights[uint(uvw.x * 3)]); //? out-of-bounds: `weights` is read beyond its end
}
float4 ps(V v) : SV_Target { return v.a; }

//--- control-points-that-share-a-wave
//# draw 1x1 vertices 6 patches 3
//# widths 8 16
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch) { return filled(1, patch[0].a); }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) {
    P p = patch[i];
    p.a = WaveActiveSum(1u); //? depends-on-packing: control point
    return p;
}
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) { return between(patch, uvw, patch[0].a); }
float4 ps(V v) : SV_Target { return v.a; }

//--- patches-that-share-a-wave
//# draw 1x1 vertices 6 patches 3
//# widths 4 8
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch, uint id : SV_PrimitiveID) {
    float a = WaveActiveMax(id); //? depends-on-packing: patch 0 gets 1 of 2 lanes (patches=dense), or 0 of 1 lane (patches=per-patch)
    return filled(1, a);
}
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) { return between(patch, uvw, f.a); }
float4 ps(V v) : SV_Target { return v.a; }

//--- the-width-shows-in-a-domain-shader
// One patch, so that only the width decides how many points share a wave.
//# draw 1x1 vertices 3 patches 3
//# widths 4 8 16
//# san --orders=waves=descending
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch) { return filled(3, 1); }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) { return patch[i]; }
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    return between(patch, uvw, WaveActiveSum(1.0f)); //? width-dependent-result: `Target` depends on the wave width
}
float4 ps(V v) : SV_Target { return v.a; }

//--- values-on-which-lanes-of-a-patch-agree
// Reductions whose result is the same however lanes are packed.
//# draw 1x1 vertices 6 patches 3
#include "tess/patch.hlsli"
Factors constants(InputPatch<P, 3> patch) { return filled(2, WaveActiveMax(1.0f)); }
[domain("tri")] [partitioning("integer")] [outputtopology("triangle_cw")] [outputcontrolpoints(3)] [patchconstantfunc("constants")]
P hs(InputPatch<P, 3> patch, uint i : SV_OutputControlPointID) {
    P p = patch[i];
    p.a = WaveActiveMin(1.0f);
    return p;
}
[domain("tri")]
V ds(Factors f, float3 uvw : SV_DomainLocation, const OutputPatch<P, 3> patch) {
    return between(patch, uvw, WaveReadLaneFirst(f.a) + patch[0].a);
}
float4 ps(V v) : SV_Target { return v.a; }
//= Target f32: 2*4
