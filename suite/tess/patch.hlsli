// Patches of three control points, each of which covers the whole target.
struct P { float2 at : AT; float a : A; };
struct Factors { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float a : B; };
struct V { float4 position : SV_Position; nointerpolation float a : A; };
P vs(uint id : SV_VertexID) {
    P p;
    p.at = float2(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1);
    p.a = 1;
    return p;
}
Factors filled(float factor, float a) {
    Factors f;
    f.edges[0] = f.edges[1] = f.edges[2] = f.inside = factor;
    f.a = a;
    return f;
}
V between(const OutputPatch<P, 3> patch, float3 uvw, float a) {
    V v;
    v.position = float4(patch[0].at * uvw.x + patch[1].at * uvw.y + patch[2].at * uvw.z, 0.5, 1);
    v.a = a;
    return v;
}
