// WaveReadLaneFirst gives every active lane the value of the active lane with the smallest index.

//--- the-value-of-the-first-lane
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveReadLaneFirst(t + 5), 5);
    if (t >= 2) EXPECT_EQ(WaveReadLaneFirst(t), 2);
}

//--- the-first-lane-changes-with-each-iteration
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i <= t; ++i) EXPECT_EQ(WaveReadLaneFirst(t), i);
}

//--- the-first-lanes-vector-bool-and-double
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveReadLaneFirst(float3(t, t + 1, 2)), float3(0, 1, 2));
    EXPECT_EQ(WaveReadLaneFirst(t == 0), true);
    EXPECT_EQ(WaveReadLaneFirst((double)t + 0.5), (double)0.5);
    EXPECT_EQ(WaveReadLaneFirst((int64_t)t - 1), (int64_t)-1);
}

//--- the-first-lanes-half
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveReadLaneFirst((float16_t)t + (float16_t)0.5), (float16_t)0.5);
    EXPECT_EQ(WaveReadLaneFirst((int16_t)t - (int16_t)3), (int16_t)-3);
}

//--- the-first-lanes-matrix
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2x2 m = float2x2(t, 1, 2, t + 3);
    float2x2 first = WaveReadLaneFirst(m);
    EXPECT_EQ(first._m00, 0.0);
    EXPECT_EQ(first._m01, 1.0);
    EXPECT_EQ(first._m11, 3.0);
}
