// Loops whose barrier stands first: what a group has stored before the loop is read behind it, by its own threads.

//--- a-sum-by-a-tree
groupshared uint sums[8 * WIDTH];
[numthreads(8 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t] = t;
    for (uint distance = 4 * WIDTH; distance > 0; distance /= 2) {
        GroupMemoryBarrierWithGroupSync();
        if (t < distance) sums[t] += sums[t + distance];
    }
    if (t == 0) EXPECT_EQ(sums[0], 4 * WIDTH * (8 * WIDTH - 1));
}

//--- a-scan-that-reads-its-own-element
groupshared uint sums[2][8 * WIDTH];
[numthreads(8 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint from = 0;
    sums[from][t] = t;
    for (uint distance = 1; distance < 8 * WIDTH; distance *= 2) {
        GroupMemoryBarrierWithGroupSync();
        sums[1 - from][t] = sums[from][t] + (t >= distance ? sums[from][t - distance] : 0);
        from = 1 - from;
    }
    EXPECT_EQ(sums[from][t], t * (t + 1) / 2);
}

//--- a-loop-that-may-not-run
//# in Steps u32: 0
StructuredBuffer<uint> Steps;
groupshared uint cells[4 * WIDTH];
[numthreads(4 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    cells[t] = t;
    for (uint step = Steps[0]; step > 0; --step) {
        GroupMemoryBarrierWithGroupSync();
        cells[t] += cells[t ^ 1];
    }
    EXPECT_EQ(cells[t], t);
}

//--- another-thread-reads-too-early
//# finds race
// Canonically a wave goes on to its next barrier or its end before the next wave starts, so each reads what the waves
// before it have left.
//# in Steps u32: 0
StructuredBuffer<uint> Steps;
groupshared uint cells[4 * WIDTH];
[numthreads(4 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    cells[t] = t + 1;
    for (uint step = Steps[0]; step > 0; --step) {
        GroupMemoryBarrierWithGroupSync();
        cells[t] += 1;
    }
    uint other = (t + WIDTH) % (4 * WIDTH), mine = t / WIDTH;
    EXPECT_EQ(cells[other], other / WIDTH <= mine ? other + 1 : 0);
}
