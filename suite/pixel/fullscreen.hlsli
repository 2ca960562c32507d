// A triangle that covers the whole target: u and v run from 0 to 1 across it, from its upper left corner.
struct V {
    float4 position : SV_Position;
    float2 uv : TEXCOORD;
};
V vs(uint id : SV_VertexID) {
    float2 uv = float2(id % 3 == 1 ? 2 : 0, id % 3 == 2 ? 2 : 0);
    V v;
    v.uv = uv;
    v.position = float4(uv * float2(2, -2) + float2(-1, 1), 0, 1);
    return v;
}
