// Unit tests of pixel shaders: wavelane test suite/jobs/pixels.hlsl
#include <wavelane.hlsli>

// The function under test: how many pixels of the wave are darker than this one.
uint darker(float brightness) {
    uint count = 0;
    for (uint lane = 0; lane < WaveGetLaneCount(); ++lane)
        count += WaveActiveBallot(true)[lane / 32] >> lane % 32 & 1 && WaveReadLaneAt(brightness, lane) < brightness ? 1 : 0;
    return count;
}

TEST_DRAW(each_pixel_is_a_lane, 8, 4) {
    EXPECT_EQ(test_pixel, uint2(test_position.xy));
    EXPECT_EQ(WaveActiveCountBits(true), min(WaveGetLaneCount(), 32u));
    EXPECT_EQ(ddx_fine(test_position.x), 1.0);
}

TEST_DRAW(equal_pixels_are_not_darker, 8, 4) {
    EXPECT_EQ(darker(0.5), 0u);
}

TEST_DRAW(helper_lanes_check_nothing, 8, 4) {
    if ((test_pixel.x & 1) != 0)
        discard;
    EXPECT_EQ(test_pixel.x & 1, 0u);
}

struct Varyings {
    float4 position : SV_Position;
    float2 uv : TEXCOORD0;
};

Texture2D<float4> Picture;
SamplerState Nearest;

//# draw 2x2
//# texture Picture R32_FLOAT 2x2: 1,2,3,4
//# sampler Nearest nearest clamp
//= Target f32: 2,0,0,1, 4,0,0,1, 6,0,0,1, 8,0,0,1
[test]
[shader("pixel")]
float4 an_entry_point_of_your_own(Varyings v) : SV_Target {
    float4 texel = Picture.Sample(Nearest, v.uv);
    EXPECT_EQ(texel.x, 1 + (v.uv.y > 0.5 ? 2 : 0) + (v.uv.x > 0.5 ? 1 : 0));
    return float4(2 * texel.xyz, texel.w);
}

//# draw 4x4
//# raster Samples: 4
//# target Target R32_UINT
[test]
[shader("pixel")]
uint state_is_written_as_in_jobs(uint mask : SV_Coverage) : SV_Target {
    EXPECT_EQ(mask, 0xfu);
    return mask;
}
