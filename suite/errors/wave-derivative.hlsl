// Derivatives of what wave operations leave undefined in helper lanes.

//--- a-derivative-of-a-sum
//# args -T ps_6_6
float main(float4 position : SV_Position) : SV_Target {
    float sum = WavePrefixSum(position.x);
    return ddx(sum * 2); //~ warning[wave-derivative]: of a wave operation's result
}
//| FILE:5:12: warning: a derivative of a wave operation's result [wave-derivative]
//|   |
//| 4 |     float sum = WavePrefixSum(position.x);
//|   |                 ------------------------- helper lanes get an undefined result here
//| 5 |     return ddx(sum * 2);
//|   |            ^^^^^^^^^^^^ this reads helper lanes
//|   |
//|   = help: take the derivative before the wave operation, or of something else
//|   = help: `[WaveOpsIncludeHelperLanes]` (shader model 6.7) lets helper lanes take part

//--- a-sample-behind-a-vote
//# args -T ps_6_6
Texture2D<float4> Picture;
SamplerState Linear;
float4 main(float4 position : SV_Position, float2 uv : TEXCOORD) : SV_Target {
    if (WaveActiveAnyTrue(uv.x > 0.5))
        return Picture.Sample(Linear, uv); //~ warning[wave-derivative]: where the result of a wave operation leads
    return 0;
}
//| FILE:7:16: warning: a derivative where the result of a wave operation leads [wave-derivative]
//|   |
//| 6 |     if (WaveActiveAnyTrue(uv.x > 0.5))
//|   |         ----------------------------- helper lanes get an undefined result here
//| 7 |         return Picture.Sample(Linear, uv);
//|   |                ^^^^^^^^^^^^^^^^^^^^^^^^^^ this reads helper lanes
//|   |
//|   = help: take the derivative before the wave operation, or of something else
//|   = help: `[WaveOpsIncludeHelperLanes]` (shader model 6.7) lets helper lanes take part

//--- a-sum-that-loops-carry
//# args -T ps_6_6
float main(float4 position : SV_Position) : SV_Target {
    float sum = 0;
    for (uint i = 0; i < 4; i++) {
        sum += ddy(sum); //~ warning[wave-derivative]: of a wave operation's result
        sum += WaveActiveMax(position.y);
    }
    return sum;
}
//| FILE:6:16: warning: a derivative of a wave operation's result [wave-derivative]
//|   |
//| 6 |         sum += ddy(sum);
//|   |                ^^^^^^^^ this reads helper lanes
//| 7 |         sum += WaveActiveMax(position.y);
//|   |                ------------------------- helper lanes get an undefined result here
//|   |
//|   = help: take the derivative before the wave operation, or of something else
//|   = help: `[WaveOpsIncludeHelperLanes]` (shader model 6.7) lets helper lanes take part

//--- results-that-are-defined-in-helper-lanes
//# args -T ps_6_6
float main(float4 position : SV_Position) : SV_Target {
    float of_quad = QuadReadAcrossX(position.x) + WaveGetLaneIndex() + WaveIsFirstLane();
    return ddx(of_quad) + WaveActiveSum(ddx(position.x));
}

//--- helper-lanes-that-take-part
//# args -T ps_6_7
[WaveOpsIncludeHelperLanes]
float main(float4 position : SV_Position) : SV_Target {
    return ddx(WavePrefixSum(position.x));
}
