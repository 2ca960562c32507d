// Bound by square roots: eight dependent ones for each channel.
struct V {
    float4 position : SV_Position;
    float4 color : COLOR;
};

V vertex(uint i : SV_VertexID) {
    V v;
    v.position = float4(i == 1 ? 3.0 : -1.0, i == 2 ? -3.0 : 1.0, 0.5, 1.0);
    v.color = float4(v.position.xy * 0.5 + 0.5, 0.25, 1.0);
    return v;
}

float4 pixel(V v) : SV_Target {
    float4 c = v.color;
    [unroll] for (int i = 0; i < 8; i++) c = sqrt(c * 0.5 + 0.1);
    return c;
}
