// Derivatives between the lanes of a quad.

//--- coarse-and-fine-derivatives
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    // In a quad: 0 1 / 4 9, times a factor of the quad.
    float factor = lane / 4 + 1;
    uint i = lane % 4;
    float x = factor * (i == 0 ? 0 : i == 1 ? 1 : i == 2 ? 4 : 9);
    EXPECT_EQ(ddx(x), factor);
    EXPECT_EQ(ddx_coarse(x), factor);
    EXPECT_EQ(ddy(x), 4 * factor);
    EXPECT_EQ(ddy_coarse(x), 4 * factor);
    EXPECT_EQ(ddx_fine(x), factor * (i < 2 ? 1 : 5));
    EXPECT_EQ(ddy_fine(x), factor * (i % 2 == 0 ? 4 : 8));
    EXPECT_EQ(fwidth(x), 5 * factor);
    EXPECT_EQ(ddx(float2(x, -x)), float2(factor, -factor));
}

//--- squares-of-threads-have-derivatives-in-two-dimensions
//# args -T cs_6_6
[numthreads(8, 8, 1)]
void main(uint2 at : SV_GroupThreadID) {
    float x = at.x * at.x, y = at.y * 10.0;
    EXPECT_EQ(ddx(x), 4.0 * (at.x / 2) + 1);
    EXPECT_EQ(ddy(x), 0.0);
    EXPECT_EQ(float2(ddx(y), ddy(y)), float2(0, 10));
}

//--- a-lane-that-is-not-active-counts-as-the-asking-one-here
//# finds incomplete-quad
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float x = lane % 4 * 3.0;
    if (lane % 4 != 1) {
        // Lane 1 is inactive, so each lane reads its own value in place of lane 1's.
        EXPECT_EQ(ddx(x), lane % 4 * 3.0);
        EXPECT_EQ(ddy(x), 6.0);
    }
}

//--- derivatives-need-quads
RWBuffer<float> Out;
[numthreads(3, 2, 1)]
void main(uint lane : SV_GroupIndex) { //~ error[bad-attribute]: a group of 3×2×1 threads has no quads
    Out[lane] = ddx((float)lane);
}

//--- derivatives-in-compute-shaders-are-of-shader-model-6-6
//# args -T cs_6_5
Texture2D<float> Tex;
SamplerState S;
RWBuffer<float> Out;
[numthreads(4, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Out[lane] = fwidth((float)lane); //~ error[needs-shader-model]: `fwidth` requires shader model 6.6, but the profile has 6.5
    Out[lane] = Tex.Sample(S, (float2)lane); //~ error[needs-shader-model]: `Sample` requires shader model 6.6, but the profile has 6.5
    Out[lane] = Tex.SampleLevel(S, (float2)lane, 0);
}
