// One colour: coverage, depth test and stores, and nothing else.
float4 vertex(uint i : SV_VertexID) : SV_Position {
    return float4(i == 1 ? 3.0 : -1.0, i == 2 ? -3.0 : 1.0, 0.5, 1.0);
}

float4 pixel() : SV_Target { return float4(0.25, 0.5, 0.75, 1.0); }
