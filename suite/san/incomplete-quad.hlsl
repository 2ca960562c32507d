// Quad operations without the whole quad.

//--- san-the-fourth-lane-of-the-quad-is-elsewhere
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 3) Out[t] = QuadReadAcrossX(t); //? incomplete-quad: a quad operation where the quad is not complete
}

//--- san-a-derivative-in-a-part-of-a-quad
//# zero Out 512
RWStructuredBuffer<float> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 3) Out[t] = ddx(float(t)); //? incomplete-quad: a derivative where the quad is not complete
}

//--- san-whole-quads-take-the-branch
//# zero Out 512
//= Out u32: 1 0 3 2
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 4) Out[t] = QuadReadAcrossX(t);
}

//--- a-derivative-for-some-pixels-of-a-quad
//# draw 4x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float slope = 0;
    if (uint(v.position.x) % 2 == 0) slope = ddx(v.position.x); //? incomplete-quad: a derivative where the quad is not complete
    return slope;
}

//--- a-derivative-for-whole-quads
//# draw 4x2
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float slope = 0;
    if (v.uv.x < 2) slope = ddx(v.position.x);
    return slope;
}
//= Target f32: 1*32

//--- san-a-derivative-without-the-first-lane
//# zero Out 512
RWStructuredBuffer<float> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 0) Out[t] = ddx(float(t)); //? incomplete-quad: a derivative where the quad is not complete
}

//--- san-a-derivative-without-the-second-lane
//# zero Out 512
RWStructuredBuffer<float> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 1) Out[t] = ddx(float(t)); //? incomplete-quad: a derivative where the quad is not complete
}

//--- san-a-derivative-without-the-third-lane
//# zero Out 512
RWStructuredBuffer<float> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 2) Out[t] = ddx(float(t)); //? incomplete-quad: a derivative where the quad is not complete
}
