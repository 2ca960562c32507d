// Results of wave operations and atomics in helper lanes, which other lanes read.

//--- wave-result-in-a-derivative
//# draw 2x2
//# args -Wno-wave-derivative
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    float least = WaveActiveMin(v.position.x);
    return ddx(v.position.x - least); //? helper-result: a derivative reads helper lanes
}

//--- derivative-without-the-wave-result
//# draw 2x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    float least = WaveActiveMin(v.position.x);
    return ddx(v.position.x) - least;
}
//= Target f32: 0.5*4 0*4 0.5*4 0*4

//--- wave-result-in-a-quad-operation
//# draw 2x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    float sum = WavePrefixSum(1.0f);
    return QuadReadAcrossX(sum); //? helper-result: a quad operation reads helper lanes
}

//--- wave-result-decides-over-a-derivative
//# draw 2x2
//# args -Wno-wave-derivative
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    float slope = 0;
    if (WaveActiveAnyTrue(v.position.y > 1))
        slope = ddx(v.position.x); //? helper-result: helper lanes may not reach a derivative
    return slope;
}

//--- wave-result-decides-where-helpers-take-part
//# draw 2x2
//# args -T ps_6_7
#include "pixel/fullscreen.hlsli"
[WaveOpsIncludeHelperLanes]
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    float slope = 0;
    if (WaveActiveAnyTrue(v.position.y > 0))
        slope = ddx(v.position.x);
    return slope;
}
//= Target f32: 1*4 0*4 1*4 0*4

//--- a-waterfall-around-a-derivative
// Each quad has one number; but which way its helper lanes go is undefined.
//# draw 4x2
//# args -Wno-wave-derivative
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint number = uint(v.position.x) / 2;
    if (v.position.y > 1) discard;
    float slope = 0;
    for (;;) {
        uint first = WaveReadLaneFirst(number);
        if (first == number) {
            slope = ddx(v.position.x); //? helper-result: helper lanes may not reach a derivative
            break;
        }
    }
    return slope;
}

//--- a-waterfall-after-a-derivative
//# draw 4x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint number = uint(v.position.x) / 2;
    if (v.position.y > 1) discard;
    float slope = ddx(v.position.x);
    for (;;) {
        uint first = WaveReadLaneFirst(number);
        if (first == number) {
            slope += first;
            break;
        }
    }
    return slope;
}
//= Target f32: 1*8 2*8 0*16

//--- an-atomic-result-in-a-quad-operation
//# draw 2x2
//# zero Count 4
RWStructuredBuffer<uint> Count : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    uint before;
    InterlockedOr(Count[0], 1, before);
    return QuadReadAcrossX(before); //? helper-result: the result of an atomic operation
}

//--- a-helper-lane-is-read
//# draw 2x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    return WaveReadLaneAt(v.position.x, 1); //? helper-result: helper lane
}

//--- a-helper-lane-is-read-across-the-quad
//# draw 2x2
//# finds depends-on-quads
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    if (v.position.x > 1) discard;
    return QuadReadLaneAt(v.position.x, 1);
}
//= Target f32: 1.5*4 0*4 1.5*4 0*4
