// QuadReadAcrossY reads the neighbour above or below in the quad: lane index xor 2.

//--- quad-read-across-y-in-every-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadReadAcrossY(t), t ^ 2);
    EXPECT_EQ(QuadReadAcrossY(float3(t, 1, 2)), float3(t ^ 2, 1, 2));
    EXPECT_EQ(QuadReadAcrossY((double)t), (double)(t ^ 2));
    EXPECT_EQ(QuadReadAcrossY((int64_t)t - 4), (int64_t)(t ^ 2) - 4);
}

//--- quad-read-across-y-of-16-bit-values
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadReadAcrossY((float16_t)t), (float16_t)(t ^ 2));
    EXPECT_EQ(QuadReadAcrossY((int16_t)t - (int16_t)9), (int16_t)(t ^ 2) - (int16_t)9);
}

//--- quad-read-across-y-in-some-quads
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t / 4 % 2 == 0) EXPECT_EQ(QuadReadAcrossY(t), t ^ 2);
}

//--- quad-read-across-y-of-an-inactive-lane-gives-the-lanes-own-value-here
//# finds incomplete-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 == 1) EXPECT_EQ(QuadReadAcrossY(t), t);
}
