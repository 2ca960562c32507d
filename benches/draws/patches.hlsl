// Tessellated: a grid of curved patches, each of 512 triangles of half a pixel or so.
struct Corner {
    float3 at : AT;
};

struct Constants {
    float edges[4] : SV_TessFactor;
    float insides[2] : SV_InsideTessFactor;
};

struct V {
    float4 position : SV_Position;
    float4 color : COLOR;
};

static const uint SIDE = 15;

// Four corners of a patch, one after the other: the grid covers a sixteenth of the target.
Corner vertex(uint i : SV_VertexID) {
    uint number = i / 4;
    uint2 cell = uint2(number % SIDE + (i & 1), number / SIDE + (i >> 1 & 1));
    float2 at = float2(cell) * (0.5 / SIDE) - 0.25;
    Corner corner;
    corner.at = float3(at, 0.5 + at.x * at.y);
    return corner;
}

Constants constants(InputPatch<Corner, 4> patch) {
    Constants made;
    for (int i = 0; i < 4; i++) made.edges[i] = 16.0;
    made.insides[0] = 16.0;
    made.insides[1] = 16.0;
    return made;
}

[domain("quad")]
[partitioning("integer")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(4)]
[patchconstantfunc("constants")]
Corner hull(InputPatch<Corner, 4> patch, uint i : SV_OutputControlPointID) {
    return patch[i];
}

[domain("quad")]
V domain(Constants made, float2 at : SV_DomainLocation, const OutputPatch<Corner, 4> patch) {
    float3 upper = lerp(patch[0].at, patch[1].at, at.x);
    float3 lower = lerp(patch[2].at, patch[3].at, at.x);
    float3 place = lerp(upper, lower, at.y);
    place.z += place.x * place.x - place.y * place.y;
    float3 normal = float3(-3.0 * place.x, 3.0 * place.y, 1.0);
    normal = normal * (1.0 / sqrt(dot(normal, normal)));
    V v;
    v.position = float4(place, 1.0);
    v.color = float4(normal * 0.5 + 0.5, 1.0);
    return v;
}

float4 pixel(V v) : SV_Target { return v.color; }
