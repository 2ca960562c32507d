// Results that depend on which samples of a pixel an alpha leaves, and draws that show only how many.

//--- an-alpha-on-an-edge
//# draw 4x4
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 1 : -1, id == 2 ? -1 : 1, 0, 1);
}
float4 ps(float4 position : SV_Position) : SV_Target {
    float alpha = position.y < 2 ? 1 : 0.5;
    return float4(1, 1, 1, alpha * alpha); //? depends-on-alpha-samples: `Target` depends on which samples an alpha leaves
}

//--- an-alpha-below-a-mask
//# draw 2x2
//# raster Samples: 4
//# raster SampleMask: 3
//# raster Blend: { AlphaToCoverage: true }
//# san --orders=alpha-samples=last
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float alpha = v.uv.x / 2;
    return float4(1, 1, 1, alpha + 0.25f); //? depends-on-alpha-samples: 2 of 4 samples
}

//--- an-alpha-over-another
// The samples of the smaller one are among those of the larger one, unless the machine chooses them apart.
//# draw 2x2 vertices 6
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
struct V { float4 position : SV_Position; nointerpolation float alpha : ALPHA; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.alpha = id < 3 ? 1 : 2;
    return v;
}
float4 ps(V v) : SV_Target {
    return float4(v.alpha, 0, 0, v.alpha / 4); //? depends-on-alpha-samples: `Target` depends on which samples an alpha leaves
}

//--- an-alpha-and-the-depth-of-samples
// Equal alphas take the same sample, whichever it is, so that the near triangle hides the far one.
//# draw 2x2 vertices 6
//# raster Samples: 2
//# raster DepthStencil: { Format: D32_FLOAT, Func: Less }
//# raster Blend: { AlphaToCoverage: true }
struct V { float4 position : SV_Position; nointerpolation float colour : COLOUR; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, id < 3 ? 0.25 : 0.5, 1);
    v.colour = id / 3;
    return v;
}
float4 ps(V v) : SV_Target { return float4(1, v.colour, 0, 0.5); }
//= Target f32: 0.5 0 0 0.25  0.5 0 0 0.25  0.5 0 0 0.25  0.5 0 0 0.25

//--- half-of-the-samples-on-an-edge-that-halves-pixels
// Of the two that the edge leaves, every choice here has one.
//# draw 4x4
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 1 : -1, id == 2 ? -1 : 1, 0, 1);
}
float4 ps(float4 position : SV_Position) : SV_Target { return float4(1, 1, 1, 0.5); }
//= Target f32: 0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.25 0.25 0.25 0.125  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.25 0.25 0.25 0.125  0 0 0 0  0.5 0.5 0.5 0.25  0.25 0.25 0.25 0.125  0 0 0 0  0 0 0 0  0.25 0.25 0.25 0.125  0 0 0 0  0 0 0 0  0 0 0 0

//--- an-alpha-inside-of-a-triangle
// Half of the samples, whichever they are.
//# draw 2x2
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target { return float4(1, 1, 1, v.uv.x < 0.5 ? 0.5 : 0.25); }
//= Target f32: 0.5 0.5 0.5 0.25  0.25 0.25 0.25 0.0625  0.5 0.5 0.5 0.25  0.25 0.25 0.25 0.0625

//--- an-alpha-of-all-or-nothing-on-an-edge
//# draw 4x4
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 1 : -1, id == 2 ? -1 : 1, 0, 1);
}
float4 ps(float4 position : SV_Position) : SV_Target { return float4(1, 1, 1, position.x > 1); }
//= Target f32: 0 0 0 0  1 1 1 1  1 1 1 1  0.5 0.5 0.5 0.5  0 0 0 0  1 1 1 1  0.5 0.5 0.5 0.5  0 0 0 0  0 0 0 0  0.5 0.5 0.5 0.5  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0  0 0 0 0

//--- a-coverage-that-is-chosen-on-an-edge
//# draw 4x4
//# raster Samples: 4
//# raster Blend: { AlphaToCoverage: true }
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 1 : -1, id == 2 ? -1 : 1, 0, 1);
}
float4 ps(float4 position : SV_Position, out uint samples : SV_Coverage) : SV_Target {
    samples = 5;
    return float4(1, 1, 1, 0.5);
}
//= Target f32: 0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0 0 0 0  0.5 0.5 0.5 0.25  0.5 0.5 0.5 0.25  0 0 0 0  0 0 0 0  0.5 0.5 0.5 0.25  0 0 0 0  0 0 0 0  0 0 0 0

//--- an-alpha-without-alpha-to-coverage
//# draw 4x4
//# raster Samples: 4
float4 vs(uint id : SV_VertexID) : SV_Position {
    return float4(id == 1 ? 1 : -1, id == 2 ? -1 : 1, 0, 1);
}
float4 ps(float4 position : SV_Position) : SV_Target { return float4(1, 1, 1, 0.5); }
//= Target f32: 1 1 1 0.5  1 1 1 0.5  1 1 1 0.5  0.5 0.5 0.5 0.25  1 1 1 0.5  1 1 1 0.5  0.5 0.5 0.5 0.25  0 0 0 0  1 1 1 0.5  0.5 0.5 0.5 0.25  0 0 0 0  0 0 0 0  0.5 0.5 0.5 0.25  0 0 0 0  0 0 0 0  0 0 0 0
