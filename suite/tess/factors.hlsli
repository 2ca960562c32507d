// A draw whose patch-constant function calls `check`, and that draws nothing.
struct Corner {
    float2 at : AT;
};

struct Constants {
    float edges[3] : SV_TessFactor;
    float inside : SV_InsideTessFactor;
};

Corner vs() {
    Corner corner;
    corner.at = 0;
    return corner;
}

Constants constants(InputPatch<Corner, 3> patch) {
    check();
    Constants made;
    made.edges[0] = made.edges[1] = made.edges[2] = made.inside = 0;
    return made;
}

[domain("tri")]
[partitioning(PARTITIONING)]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Corner hs(InputPatch<Corner, 3> patch, uint i : SV_OutputControlPointID) {
    return patch[i];
}

[domain("tri")]
float4 ds(Constants made, float3 place : SV_DomainLocation, const OutputPatch<Corner, 3> patch) : SV_Position {
    return 0;
}

float4 ps() : SV_Target {
    return 1;
}
