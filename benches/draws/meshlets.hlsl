// Meshlets of 81 vertices and 128 triangles of half a pixel: each vertex is transformed, and lit by two lights.
struct V {
    float4 position : SV_Position;
    float4 color : COLOR;
};

static const uint SIDE = 32;
static const uint CELLS = 8;

float3 light(float3 at, float3 normal, float3 from, float3 color) {
    float3 way = from - at;
    float facing = max(dot(normal, way), 0.0) * (1.0 / sqrt(dot(way, way)));
    return color * (facing * facing);
}

V made(uint2 cell) {
    float2 at = float2(cell) * (0.5 / (SIDE * CELLS)) - 0.25;
    float3 place = float3(at, 0.5 + at.x * at.y);
    float3 up = float3(-at.y, -at.x, 1.0);
    up = up * (1.0 / sqrt(dot(up, up)));
    float3 sum = float3(0.05, 0.05, 0.1);
    sum += light(place, up, float3(0.5, 1.0, 1.5), float3(0.9, 0.5, 0.2));
    sum += light(place, up, float3(-1.0, 0.5, 1.0), float3(0.2, 0.4, 0.8));
    V v;
    v.position = float4(place, 1.0);
    v.color = float4(sum, 1.0);
    return v;
}

// The driver has this entry point in `meshlets.mesh`.
#ifndef DRIVER
[outputtopology("triangle")]
[numthreads(128, 1, 1)]
void mesh(
    uint i : SV_GroupIndex,
    uint group : SV_GroupID,
    out vertices V vertices_of[81],
    out indices uint3 triangles[128]
) {
    SetMeshOutputCounts(81, 128);
    uint2 first = uint2(group % SIDE, group / SIDE) * CELLS;
    if (i < 81) vertices_of[i] = made(first + uint2(i % 9, i / 9));
    uint corner = i / 2 % CELLS + i / 2 / CELLS * 9;
    triangles[i] = (i & 1) == 0 ? uint3(corner, corner + 1, corner + 9) : uint3(corner + 1, corner + 10, corner + 9);
}
#endif

float4 pixel(V v) : SV_Target { return v.color; }
