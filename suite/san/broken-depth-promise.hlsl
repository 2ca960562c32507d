// Depths beyond the bound that their semantic promises.

//--- a-smaller-depth-than-promised
//# draw 4x4
//# raster DepthStencil: { Format: D32_FLOAT, Func: LessEqual }
#include "pixel/fullscreen.hlsli"
float4 ps(V v, out float depth : SV_DepthGreaterEqual) : SV_Target {
    depth = v.position.z - 0.25; //? broken-depth-promise: a smaller depth is written than `SV_DepthGreaterEqual` promises
    return 1;
}

//--- a-greater-depth-than-promised
//# draw 4x4
#include "pixel/fullscreen.hlsli"
float4 ps(V v, out float depth : SV_DepthLessEqual) : SV_Target {
    depth = v.position.x > 2 ? v.position.z + 0.5 : v.position.z; //? broken-depth-promise: help: write `min(depth, position.z)`
    return 1;
}

//--- depths-within-the-promise
//# draw 4x4
#include "pixel/fullscreen.hlsli"
float4 ps(V v, out float depth : SV_DepthGreaterEqual) : SV_Target {
    depth = max(v.position.z, v.uv.x);
    return depth;
}
//= Target f32: 0.125*4 0.375*4 0.625*4 0.875*4

//--- depths-of-pixels-that-are-discarded-promise-nothing
//# draw 4x4
#include "pixel/fullscreen.hlsli"
float4 ps(V v, out float depth : SV_DepthGreaterEqual) : SV_Target {
    depth = v.position.z;
    if (v.position.x < 2) {
        depth = v.position.z - 1;
        discard;
    }
    return 1;
}
//= Target f32: 0*8 1*8

//--- the-depth-of-a-sample-is-the-one-that-counts
// Where the shader runs for each sample, it sees the depth of the sample.
//# draw 2x2
//# raster Samples: 4
struct S { sample float4 position : SV_Position; };
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, id == 1 ? 1 : 0, 1);
}
float4 ps(S s, out float depth : SV_DepthLessEqual) : SV_Target {
    depth = s.position.z;
    return 1;
}
//= Target f32: 1*16

//--- the-depth-of-the-centre-is-not-that-of-a-sample
//# draw 2x2
//# raster Samples: 4
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 3 : -1, id == 2 ? -3 : 1, id == 1 ? 1 : 0, 1);
}
float4 ps(float4 position : SV_Position, uint i : SV_SampleIndex, out float depth : SV_DepthLessEqual) : SV_Target {
    depth = 0.5; //? broken-depth-promise: a greater depth
    return i;
}
