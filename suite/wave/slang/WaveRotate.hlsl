// WaveRotate reads the lane at a given distance, wrapping from the last lane to the first.

//--- rotating-the-wave
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveRotate(t, 1), (t + 1) % WIDTH);
    EXPECT_EQ(WaveRotate(t, WIDTH + 3), (t + 3) % WIDTH);
    EXPECT_EQ(WaveRotate(float2(t, -1), 2).x, (float)((t + 2) % WIDTH));
}
