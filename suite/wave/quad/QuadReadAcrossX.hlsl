// QuadReadAcrossX reads the neighbour to the side in the quad: lane index xor 1.

//--- quad-read-across-x-in-every-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadReadAcrossX(t), t ^ 1);
    EXPECT_EQ(QuadReadAcrossX(float3(t, 1, 2)), float3(t ^ 1, 1, 2));
    EXPECT_EQ(QuadReadAcrossX((double)t), (double)(t ^ 1));
    EXPECT_EQ(QuadReadAcrossX((int64_t)t - 4), (int64_t)(t ^ 1) - 4);
}

//--- quad-read-across-x-of-16-bit-values
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadReadAcrossX((float16_t)t), (float16_t)(t ^ 1));
    EXPECT_EQ(QuadReadAcrossX((int16_t)t - (int16_t)9), (int16_t)(t ^ 1) - (int16_t)9);
}

//--- quad-read-across-x-in-some-quads
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t / 4 % 2 == 0) EXPECT_EQ(QuadReadAcrossX(t), t ^ 1);
}

//--- quad-read-across-x-of-an-inactive-lane-gives-the-lanes-own-value-here
//# finds incomplete-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 == 1) EXPECT_EQ(QuadReadAcrossX(t), t);
}
