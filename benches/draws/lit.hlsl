// Bound by shading: four lights on a curved surface, about 120 operations.
struct V {
    float4 position : SV_Position;
    float3 at : AT;
};

V vertex(uint i : SV_VertexID) {
    V v;
    v.position = float4(i == 1 ? 3.0 : -1.0, i == 2 ? -3.0 : 1.0, 0.5, 1.0);
    v.at = float3(v.position.xy * 4.0, 1.0);
    return v;
}

float3 light(float3 at, float3 normal, float3 from, float3 color) {
    float3 way = from - at;
    float near = 1.0 / dot(way, way);
    float facing = max(dot(normal, way), 0.0) * near;
    float shine = facing * facing;
    shine = shine * shine;
    return color * (facing + shine * shine);
}

float4 pixel(V v) : SV_Target {
    float3 at = v.at;
    float height = at.x * at.x * 0.1 - at.y * at.y * 0.1;
    at.z = height;
    float3 normal = float3(-0.2 * at.x, 0.2 * at.y, 1.0);
    normal = normal * (1.0 / sqrt(dot(normal, normal)));
    float3 sum = float3(0.05, 0.05, 0.1);
    sum += light(at, normal, float3(1.0, 2.0, 3.0), float3(0.9, 0.5, 0.2));
    sum += light(at, normal, float3(-2.0, 1.0, 2.0), float3(0.2, 0.8, 0.3));
    sum += light(at, normal, float3(3.0, -3.0, 4.0), float3(0.4, 0.4, 1.0));
    sum += light(at, normal, float3(-3.0, -2.0, 3.0), float3(1.0, 0.2, 0.6));
    return float4(sum, 1.0);
}
