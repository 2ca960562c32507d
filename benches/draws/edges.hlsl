// Derivatives and discard: rings of about one pixel's softness, with holes.
struct V {
    float4 position : SV_Position;
    float2 at : AT;
};

V vertex(uint i : SV_VertexID) {
    V v;
    v.position = float4(i == 1 ? 3.0 : -1.0, i == 2 ? -3.0 : 1.0, 0.5, 1.0);
    v.at = v.position.xy * 6.0;
    return v;
}

float4 pixel(V v) : SV_Target {
    float distance = dot(v.at, v.at);
    float soft = abs(ddx(distance)) + abs(ddy(distance));
    float ring = abs(frac(distance) - 0.5);
    if (ring > 0.4) discard;
    float edge = saturate((0.4 - ring) / max(soft, 0.001));
    return float4(edge, edge * 0.5, frac(distance), 1.0);
}
