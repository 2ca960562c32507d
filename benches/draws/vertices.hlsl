// Bound by vertices: each is transformed, and lit by two lights; a triangle covers half a pixel.
struct V {
    float4 position : SV_Position;
    float4 color : COLOR;
};

static const float4x4 turn = {
    0.96, -0.20, 0.10, 0.0,
    0.21, 0.95, -0.12, 0.0,
    -0.07, 0.14, 0.30, 0.4,
    -0.10, 0.12, 0.20, 1.0,
};

float3 light(float3 at, float3 normal, float3 from, float3 color) {
    float3 way = from - at;
    float facing = max(dot(normal, way), 0.0) * (1.0 / sqrt(dot(way, way)));
    return color * (facing * facing);
}

V vertex(float3 position : POSITION, float3 normal : NORMAL) {
    V v;
    v.position = mul(turn, float4(position, 1.0));
    float3 up = normal * (1.0 / sqrt(dot(normal, normal)));
    float3 sum = float3(0.05, 0.05, 0.1);
    sum += light(position, up, float3(0.5, 1.0, 1.5), float3(0.9, 0.5, 0.2));
    sum += light(position, up, float3(-1.0, 0.5, 1.0), float3(0.2, 0.4, 0.8));
    v.color = float4(sum, 1.0);
    return v;
}

float4 pixel(V v) : SV_Target { return v.color; }
