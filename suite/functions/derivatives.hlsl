// Derivatives across the quad in compute shaders: four consecutive lanes are a quad.

//--- derivatives-are-differences-inside-the-quad
//# args -T cs_6_6 -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint first = t & ~3u;
    float x = t * t;
    float p0 = first * first, p1 = (first + 1) * (first + 1);
    float p2 = (first + 2) * (first + 2), p3 = (first + 3) * (first + 3);
    EXPECT_EQ(ddx_coarse(x), p1 - p0);
    EXPECT_EQ(ddy_coarse(x), p2 - p0);
    EXPECT_EQ(ddx_fine(x), t & 2 ? p3 - p2 : p1 - p0);
    EXPECT_EQ(ddy_fine(x), t & 1 ? p3 - p1 : p2 - p0);
    // The choice between coarse and fine is open; here these are the coarse ones.
    EXPECT_EQ(ddx(x), p1 - p0);
    EXPECT_EQ(ddy(x), p2 - p0);
    EXPECT_EQ(fwidth(x), abs(p1 - p0) + abs(p2 - p0));
    EXPECT_EQ(ddx(float3(x, -x, 1)), float3(p1 - p0, p0 - p1, 0));
    EXPECT_EQ(fwidth(float2(-x, 0)), float2(p1 - p0 + p2 - p0, 0));
    EXPECT_EQ((float)ddy((half)(t & 3)), 2.0);
}
