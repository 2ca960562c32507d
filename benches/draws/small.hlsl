// Triangles of eight pixels with a colour at each vertex, no vertex used twice.
struct V {
    float4 position : SV_Position;
    float4 color : COLOR;
};

V vertex(float3 position : POSITION, float4 color : COLOR) {
    V v;
    v.position = float4(position, 1.0);
    v.color = color;
    return v;
}

float4 pixel(V v) : SV_Target { return v.color; }
