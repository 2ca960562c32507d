// The canonical order of float sums: a sum computed lane by lane in that order must have the same bits.

//--- float-reductions-follow-the-tree
//# finds order-dependent-result
float value(uint lane) { return (lane % 3 == 0 ? 1e7 : 0.1) * (lane + 1); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 5 == 2) return;
    float row[WIDTH];
    for (uint lane = 0; lane < WIDTH; ++lane) row[lane] = lane % 5 == 2 ? -0.0 : value(lane);
    for (uint d = WIDTH / 2; d > 0; d /= 2)
        for (uint i = 0; i < d; ++i) row[i] = row[i] + row[i + d];
    EXPECT_EQ(asuint(WaveActiveSum(value(t))), asuint(row[0]));
}

//--- float-scans-follow-their-steps
//# finds order-dependent-result
float value(uint lane) { return (lane % 3 == 0 ? 1e7 : 0.1) * (lane + 1); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 5 == 2) return;
    float row[WIDTH];
    for (uint lane = 0; lane < WIDTH; ++lane) row[lane] = lane % 5 == 2 ? -0.0 : value(lane);
    for (uint d = 1; d < WIDTH; d *= 2)
        for (uint i = WIDTH - 1; i >= d; --i) row[i] = row[i - d] + row[i];
    EXPECT_EQ(asuint(WavePrefixSum(value(t))), t == 0 ? 0 : asuint(row[t - 1]));
}

//--- float-multi-prefix-sums-ascend
//# finds order-dependent-result
float value(uint lane) { return (lane % 3 == 0 ? 1e7 : 0.1) * (lane + 1); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float sum = 0;
    for (uint lane = t % 2; lane < t; lane += 2) sum += value(lane);
    EXPECT_EQ(asuint(WaveMultiPrefixSum(value(t), WaveMatch(t % 2))), asuint(sum));
}

//--- masks-that-are-not-a-partition-fold-the-lanes-own-mask
//# finds bad-partition
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // Lane t names lane 0 and itself only.
    uint4 own = uint4(1, 0, 0, 0);
    own[t / 32] |= 1u << (t % 32);
    EXPECT_EQ(WaveMultiPrefixSum(t + 10, own), t == 0 ? 0 : 10);
}
