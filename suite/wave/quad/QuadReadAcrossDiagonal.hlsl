// QuadReadAcrossDiagonal reads the opposite lane in the quad: lane index xor 3.

//--- quad-read-across-diagonal-in-every-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadReadAcrossDiagonal(t), t ^ 3);
    EXPECT_EQ(QuadReadAcrossDiagonal(float3(t, 1, 2)), float3(t ^ 3, 1, 2));
    EXPECT_EQ(QuadReadAcrossDiagonal((double)t), (double)(t ^ 3));
    EXPECT_EQ(QuadReadAcrossDiagonal((int64_t)t - 4), (int64_t)(t ^ 3) - 4);
}

//--- quad-read-across-diagonal-of-16-bit-values
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadReadAcrossDiagonal((float16_t)t), (float16_t)(t ^ 3));
    EXPECT_EQ(QuadReadAcrossDiagonal((int16_t)t - (int16_t)9), (int16_t)(t ^ 3) - (int16_t)9);
}

//--- quad-read-across-diagonal-in-some-quads
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t / 4 % 2 == 0) EXPECT_EQ(QuadReadAcrossDiagonal(t), t ^ 3);
}

//--- quad-read-across-diagonal-of-an-inactive-lane-gives-the-lanes-own-value-here
//# finds incomplete-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 == 1) EXPECT_EQ(QuadReadAcrossDiagonal(t), t);
}
