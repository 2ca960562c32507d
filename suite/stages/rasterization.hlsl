// A compute shader beside the shaders of a rasterization pipeline: each is checked as its stage, and none affects another.

//--- a-file-of-vertex-and-pixel-shaders
#include "pipeline.hlsli"
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveSum(lane), WIDTH * (WIDTH - 1) / 2);
}

//--- its-vertex-shader
//# args -T vs_6_0 -E vs
#include "pipeline.hlsli"

//--- its-pixel-shader
//# args -T ps_6_1 -E ps
#include "pipeline.hlsli"

//--- its-hull-shader
//# args -T hs_6_0 -E hs
#include "pipeline.hlsli"

//--- its-domain-shader
//# args -T ds_6_0 -E ds
#include "pipeline.hlsli"

//--- its-geometry-shader
//# args -T gs_6_0 -E gs
#include "pipeline.hlsli"

//--- its-amplification-shader
//# args -T as_6_5 -E as
#include "pipeline.hlsli"

//--- its-mesh-shader
//# args -T ms_6_5 -E ms
#include "pipeline.hlsli"

//--- an-output-that-a-vertex-shader-does-not-have
//# args -T vs_6_0 -E vs
float4 vs(float3 p : POSITION, out float depth : SV_Depth) : SV_Position { //~ error[bad-semantic]: `SV_Depth` is not an output of a vertex shader
    depth = 0;
    return float4(p, 1);
}
//| FILE:3:50: error: `SV_Depth` is not an output of a vertex shader [bad-semantic]
//|   |
//| 3 | float4 vs(float3 p : POSITION, out float depth : SV_Depth) : SV_Position {
//|   |                                                  ^^^^^^^^
//|   |
//|   = help: it is for pixel shaders

//--- a-system-value-by-a-slip
//# args -T ps_6_0 -E ps
float4 ps(float4 p : SV_Positon) : SV_Target { return p; } //~ error[bad-semantic]: there is no system value
//| FILE:3:22: error: there is no system value `SV_Positon` [bad-semantic]
//|   |
//| 3 | float4 ps(float4 p : SV_Positon) : SV_Target { return p; }
//|   |                      ^^^^^^^^^^
//|   |
//|   = help: a similar name is `SV_Position`
//|   |
//| 3 - float4 ps(float4 p : SV_Positon) : SV_Target { return p; }
//| 3 + float4 ps(float4 p : SV_Position) : SV_Target { return p; }

//--- a-ninth-target
//# args -T ps_6_0 -E ps
float4 ps() : SV_Target8 { return 0; } //~ error[bad-semantic]: the last of 8 is `SV_Target7`
//| FILE:3:15: error: there is no `SV_Target8`: the last of 8 is `SV_Target7` [bad-semantic]
//|   |
//| 3 | float4 ps() : SV_Target8 { return 0; }
//|   |               ^^^^^^^^^^

//--- two-values-of-one-semantic
//# args -T ps_6_0 -E ps
struct Out {
    float4 a : SV_Target0;
    float4 b : SV_Target; //~ error[bad-semantic]: two values
};
Out ps() { return (Out)0; }
//| FILE:5:16: error: two values have the semantic `SV_Target` [bad-semantic]
//|   |
//| 4 |     float4 a : SV_Target0;
//|   |                ---------- the other one
//| 5 |     float4 b : SV_Target;
//|   |                ^^^^^^^^^

//--- a-depth-of-the-wrong-type
//# args -T ps_6_0 -E ps
uint ps() : SV_Depth { return 0; } //~ error[bad-semantic]: not `uint`
//| FILE:3:13: error: `SV_Depth` must be `float`, not `uint` [bad-semantic]
//|   |
//| 3 | uint ps() : SV_Depth { return 0; }
//|   |             ^^^^^^^^

//--- an-input-without-a-semantic
//# args -T ps_6_0 -E ps
struct In { float4 at : SV_Position; float2 uv; }; //~ error[bad-semantic]: `i.uv` has no semantic
float4 ps(In i) : SV_Target { return i.uv.xyxy; }
//| FILE:3:45: error: `i.uv` has no semantic [bad-semantic]
//|   |
//| 3 | struct In { float4 at : SV_Position; float2 uv; };
//|   |                                             ^^
//|   |
//|   = help: add `: TEXCOORD0`, or any other name, to pass it between stages

//--- a-hull-shader-without-its-attributes
//# args -T hs_6_0 -E hs
struct P { float3 at : POSITION; };
[domain("tir")] //~ error[bad-attribute]: cannot be
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
P hs(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
//| FILE:4:9: error: `domain` cannot be `"tir"` [bad-attribute]
//|   |
//| 4 | [domain("tir")]
//|   |         ^^^^^
//|   |
//|   = help: a similar word is `"tri"`
//|   |
//| 4 - [domain("tir")]
//| 4 + [domain("tri")]

//--- a-patch-with-too-few-factors
//# args -T hs_6_0 -E hs
struct P { float3 at : POSITION; };
struct Factors { float edges[3] : SV_TessFactor; };
Factors constants(InputPatch<P, 3> p) { return (Factors)0; } //~ error[bad-semantic]: SV_InsideTessFactor
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
P hs(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
//| FILE:5:9: error: a patch of the domain `tri` needs 1 `SV_InsideTessFactor`, but there are none [bad-semantic]
//|   |
//| 5 | Factors constants(InputPatch<P, 3> p) { return (Factors)0; }
//|   |         ^^^^^^^^^
//|   |
//|   = help: add a field such as `float factors : SV_InsideTessFactor;` to its result

//--- a-patch-constant-function-that-is-not-there
//# args -T hs_6_0 -E hs
struct P { float3 at : POSITION; };
void constant() {}
[domain("tri")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")] //~ error[bad-attribute]: the patch-constant function `constants`
P hs(InputPatch<P, 3> p, uint i : SV_OutputControlPointID) { return p[i]; }
//| FILE:9:20: error: the patch-constant function `constants` is not declared [bad-attribute]
//|   |
//| 9 | [patchconstantfunc("constants")]
//|   |                    ^^^^^^^^^^^
//|   |
//|   = help: a similar name is `"constant"`
//|   |
//| 9 - [patchconstantfunc("constants")]
//| 9 + [patchconstantfunc("constant")]

//--- a-triangle-of-two-vertices
//# args -T gs_6_0 -E gs
struct V { float4 at : SV_Position; };
[maxvertexcount(3)]
void gs(triangle V v[2], inout TriangleStream<V> stream) { //~ error[bad-entry-point]: has 3 vertices
    stream.Append(v[0]);
}
//| FILE:5:20: error: a `triangle` has 3 vertices, so `v` must be an array of 3 [bad-entry-point]
//|   |
//| 5 | void gs(triangle V v[2], inout TriangleStream<V> stream) {
//|   |                    ^

//--- a-geometry-shader-without-a-stream
//# args -T gs_6_0 -E gs
struct V { float4 at : SV_Position; };
[maxvertexcount(3)]
void gs(triangle V v[3]) {} //~ error[bad-entry-point]: needs a stream
//| FILE:5:6: error: a geometry shader needs a stream for its output [bad-entry-point]
//|   |
//| 5 | void gs(triangle V v[3]) {}
//|   |      ^^
//|   |
//|   = help: for example `inout TriangleStream<Vertex> stream`

//--- a-geometry-shader-without-a-number-of-vertices
//# args -T gs_6_0 -E gs
struct V { float4 at : SV_Position; };
void gs(point V v[1], inout PointStream<V> stream) {} //~ error[bad-entry-point]: maxvertexcount
//| FILE:4:6: error: a geometry shader needs `[maxvertexcount]` before its entry point [bad-entry-point]
//|   |
//| 4 | void gs(point V v[1], inout PointStream<V> stream) {}
//|   |      ^^
//|   |
//|   = help: for example `[maxvertexcount(3)]`

//--- a-stream-that-takes-something-else
//# args -T gs_6_0 -E gs
struct V { float4 at : SV_Position; };
[maxvertexcount(3)]
void gs(triangle V v[3], inout TriangleStream<V> stream) {
    stream.Append(v); //~ error[no-matching-function]: must be `V`
    stream.Restart(); //~ error[unknown-name]: has no method `Restart`
}
//| FILE:6:5: error: `vertex` of `Append` must be `V`, but this is `V[3]` [no-matching-function]
//|   |
//| 6 |     stream.Append(v);
//|   |     ^^^^^^^^^^^^^^^^
//|   |
//|   = note: `void Append(T vertex)`
//|
//| FILE:7:12: error: `TriangleStream<V>` has no method `Restart` [unknown-name]
//|   |
//| 7 |     stream.Restart();
//|   |            ^^^^^^^
//|   |
//|   = note: its methods are `Append`, `RestartStrip`

//--- indices-of-the-wrong-size
//# args -T ms_6_5 -E ms
struct V { float4 at : SV_Position; };
[outputtopology("triangle")]
[numthreads(32, 1, 1)]
void ms(out vertices V v[32], out indices uint2 t[32]) { //~ error[bad-entry-point]: 3 indices
    SetMeshOutputCounts(32, 32);
}
//| FILE:6:49: error: a triangle has 3 indices, so they must be `uint3`, not `uint2` [bad-entry-point]
//|   |
//| 6 | void ms(out vertices V v[32], out indices uint2 t[32]) {
//|   |                                                 ^

//--- a-function-of-another-stage
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    SetMeshOutputCounts(1, 1); //~ error[wrong-stage]: `SetMeshOutputCounts` is not available in a compute shader
}
//| FILE:4:5: error: `SetMeshOutputCounts` is not available in a compute shader [wrong-stage]
//|   |
//| 4 |     SetMeshOutputCounts(1, 1);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: it is for mesh shaders

//--- an-attribute-of-another-stage
//# args -T ps_6_0 -E ps
[maxvertexcount(3)] //~ warning[unknown-attribute]: `maxvertexcount` does not apply to a pixel shader
float4 ps() : SV_Target { return 0; }

//--- two-depths-of-one-pixel
//# args -T ps_6_0 -E ps
void ps(
    float4 p : SV_Position,
    out float near : SV_DepthLessEqual,
    out float far : SV_DepthGreaterEqual //~ error[bad-semantic]: one depth
) {
    near = p.z;
    far = p.z;
}
