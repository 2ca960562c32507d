// Whole algorithms that engines run.

//--- a-bitonic-sort-of-a-wave
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // A permutation, since 37 is odd and the width a power of two.
    uint value = (t * 37 + 11) % WIDTH;
    for (uint size = 2; size <= WaveGetLaneCount(); size <<= 1) {
        for (uint step = size >> 1; step > 0; step >>= 1) {
            uint other = WaveReadLaneAt(value, t ^ step);
            bool ascending = (t & size) == 0, lower = (t & step) == 0;
            value = ascending == lower ? min(value, other) : max(value, other);
        }
    }
    EXPECT_EQ(value, t);
}

//--- a-radix-sort-of-a-group
groupshared uint keys[256];
groupshared uint waveTotals[64];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint wave = t / WaveGetLaneCount(), waves = 256 / WaveGetLaneCount();
    keys[t] = (t * 77 + 5) % 256;
    GroupMemoryBarrierWithGroupSync();
    for (uint bit = 0; bit < 8; ++bit) {
        uint key = keys[t];
        bool zero = (key >> bit & 1) == 0;
        uint before = WavePrefixCountBits(zero);
        if (WaveIsFirstLane()) waveTotals[wave] = 0;
        uint all = WaveActiveCountBits(zero);
        if (WaveIsFirstLane()) waveTotals[wave] = all;
        GroupMemoryBarrierWithGroupSync();
        uint zeros = 0, zerosBefore = 0;
        for (uint w = 0; w < waves; ++w) {
            if (w < wave) zerosBefore += waveTotals[w];
            zeros += waveTotals[w];
        }
        zerosBefore += before;
        uint to = zero ? zerosBefore : zeros + t - zerosBefore;
        GroupMemoryBarrierWithGroupSync();
        keys[to] = key;
        GroupMemoryBarrierWithGroupSync();
    }
    EXPECT_EQ(keys[t], t);
}

//--- a-histogram-with-match
groupshared uint bins[8];
[numthreads(4 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 8) bins[t] = 0;
    GroupMemoryBarrierWithGroupSync();
    uint key = t * t % 8;
    uint4 same = WaveMatch(key);
    uint4 counts = countbits(same);
    if (WaveMultiPrefixCountBits(true, same) == 0) InterlockedAdd(bins[key], counts.x + counts.y + counts.z + counts.w);
    GroupMemoryBarrierWithGroupSync();
    uint expected = 0;
    for (uint other = 0; other < 4 * WIDTH; ++other) expected += other * other % 8 == key ? 1 : 0;
    EXPECT_EQ(bins[key], expected);
}

//--- a-scan-of-a-whole-group
//# widths 8..128
groupshared uint totals[64];
[numthreads(512, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value = t % 10;
    uint wave = t / WaveGetLaneCount();
    uint before = WavePrefixSum(value);
    if (WaveGetLaneIndex() == WaveGetLaneCount() - 1) totals[wave] = before + value;
    GroupMemoryBarrierWithGroupSync();
    uint sum = 0;
    for (uint w = 0; w < wave; ++w) sum += totals[w];
    uint expected = 0;
    for (uint other = 0; other < t; ++other) expected += other % 10;
    EXPECT_EQ(sum + before, expected);
}
