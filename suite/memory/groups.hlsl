// Groupshared memory, barriers, and atomics in their canonical order.

//--- groupshared-memory-is-shared-by-all-waves-of-a-group
//# groups 2 1 1
groupshared uint cells[3 * WIDTH];
[numthreads(3 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    cells[t] = t * 2 + group.x;
    GroupMemoryBarrierWithGroupSync();
    uint other = 3 * WIDTH - 1 - t;
    EXPECT_EQ(cells[other], other * 2 + group.x);
}

//--- barriers-in-a-loop
groupshared uint cells[2 * WIDTH];
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // Sums neighbours over and over: after all iterations every cell holds the whole sum.
    cells[t] = 1;
    for (uint step = 1; step < 2 * WIDTH; step *= 2) {
        GroupMemoryBarrierWithGroupSync();
        uint sum = cells[t] + cells[(t + step) % (2 * WIDTH)];
        GroupMemoryBarrierWithGroupSync();
        cells[t] = sum;
    }
    EXPECT_EQ(cells[t], 2 * WIDTH);
}

//--- threads-that-left-do-not-hold-up-a-barrier
groupshared uint cells[2 * WIDTH];
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= WIDTH) return;
    cells[t] = t;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(cells[WIDTH - 1 - t], WIDTH - 1 - t);
}

//--- atomics-return-values-in-the-order-of-lanes-waves-and-groups
//# finds order-dependent-result
//# groups 2 2 1
//# zero Counter 4
RWStructuredBuffer<uint> Counter;
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    uint before;
    InterlockedAdd(Counter[0], 1, before);
    EXPECT_EQ(before, (group.y * 2 + group.x) * 2 * WIDTH + t);
}

//--- every-atomic-operation
//# zero U 32
//# zero I 8
//= U u32: 10 0 0xff 0xf0 0 9 42 7
//= I i32: -5 5
RWStructuredBuffer<uint> U;
RWStructuredBuffer<int> I;
[numthreads(1, 1, 1)]
void main() {
    uint was;
    InterlockedAdd(U[0], 7);
    InterlockedAdd(U[0], 3, was);
    EXPECT_EQ(was, 7);
    U[1] = 0xf0;
    InterlockedAnd(U[1], 0x0f, was);
    EXPECT_EQ(was, 0xf0);
    U[2] = 0x0f;
    InterlockedOr(U[2], 0xf0);
    U[3] = 0x0f;
    InterlockedXor(U[3], 0xff);
    U[4] = 3;
    InterlockedMin(U[4], 0);
    InterlockedMax(U[5], 9, was);
    EXPECT_EQ(was, 0);
    InterlockedExchange(U[6], 42, was);
    InterlockedCompareExchange(U[7], 0, 7, was);
    EXPECT_EQ(was, 0);
    InterlockedCompareExchange(U[7], 0, 8, was);
    EXPECT_EQ(was, 7);
    InterlockedCompareStore(U[7], 1, 9);
    InterlockedMin(I[0], -5);
    InterlockedMax(I[1], 5);
}

//--- atomics-on-members-components-and-groupshared-memory
struct Bin { uint4 counts; uint total; };
groupshared Bin bins[2];
groupshared int lowest;
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 2) {
        bins[t].counts = uint4(0, 0, 0, 0);
        bins[t].total = 0;
    }
    if (t == 0) lowest = 100;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(bins[t % 2].total, t);
    InterlockedAdd(bins[t % 2].counts.y, 1);
    InterlockedAdd(bins[0].counts[t % 2], 1u << 16);
    InterlockedMin(lowest, -(int)t);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(bins[0].total, WIDTH * (WIDTH - 1));
    EXPECT_EQ(bins[1].total, WIDTH * WIDTH);
    EXPECT_EQ(bins[1].counts, uint4(0, WIDTH, 0, 0));
    EXPECT_EQ(bins[0].counts, uint4(WIDTH << 16, WIDTH + (WIDTH << 16), 0, 0));
    EXPECT_EQ(lowest, 1 - 2 * (int)WIDTH);
}

//--- atomics-of-64-bits
//# finds buffer-out-of-bounds shift-out-of-range
//# zero Out 16
//= Out u64: 0x100000000 0x8000000000000000
RWStructuredBuffer<uint64_t> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    InterlockedAdd(Out[0], (1ull << 32) / WIDTH);
    InterlockedMax(Out[1], 1ull << 63 >> t);
    uint64_t was;
    InterlockedAdd(Out[5], 1ull, was);
    EXPECT_EQ(was, 0ull);
}

//--- a-lock-between-waves-ends
groupshared uint lock;
groupshared uint counter;
[numthreads(4 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) { lock = 0; counter = 0; }
    GroupMemoryBarrierWithGroupSync();
    if (WaveIsFirstLane()) {
        uint taken;
        do {
            InterlockedCompareExchange(lock, 0, 1, taken);
        } while (taken != 0);
        counter += 1;
        InterlockedExchange(lock, 0, taken);
    }
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(counter, 4);
}

//--- waiting-for-an-earlier-group-ends
//# san --progress=concurrent
//# finds equal-stores
//# groups 8 1 1
//# zero Flags 36
globallycoherent RWStructuredBuffer<uint> Flags;
[numthreads(1, 1, 1)]
void main(uint3 group : SV_GroupID) {
    // Group 7 runs last in the canonical order; group 0 waits for it all the same.
    if (group.x == 0) {
        uint seen = 0;
        while (seen == 0) InterlockedAdd(Flags[7], 0, seen);
    }
    InterlockedExchange(Flags[group.x], 1, Flags[8]);
    EXPECT(true);
}

//--- groups-in-three-dimensions
//# groups 2 3 2
//# zero Seen 1152
RWStructuredBuffer<uint> Seen;
[numthreads(2, 3, 4)]
void main(uint3 thread : SV_DispatchThreadID, uint3 local : SV_GroupThreadID, uint3 group : SV_GroupID, uint index : SV_GroupIndex) {
    EXPECT_EQ(thread, group * uint3(2, 3, 4) + local);
    EXPECT_EQ(index, local.z * 6 + local.y * 2 + local.x);
    uint was;
    InterlockedAdd(Seen[thread.z * 36 + thread.y * 4 + thread.x], 1, was);
    EXPECT_EQ(was, 0);
}

//--- squares-of-threads-make-quads-in-two-dimensions
[numthreads(8, 4, 1)]
void main(uint3 local : SV_GroupThreadID) {
    EXPECT_EQ(QuadReadAcrossX(local.x), local.x ^ 1);
    EXPECT_EQ(QuadReadAcrossX(local.y), local.y);
    EXPECT_EQ(QuadReadAcrossY(local.xy), uint2(local.x, local.y ^ 1));
    EXPECT_EQ(WaveGetLaneIndex() % 4, local.y % 2 * 2 + local.x % 2);
}

//--- before-shader-model-6-6-lanes-are-linear
//# finds order-dependent-result
//# args -T cs_6_5
[numthreads(8, 4, 1)]
void main(uint3 local : SV_GroupThreadID, uint index : SV_GroupIndex) {
    EXPECT_EQ(WaveGetLaneIndex(), index % WIDTH);
    EXPECT_EQ(QuadReadAcrossY(index), index ^ 2);
}

//--- a-flag-in-groupshared-memory-that-all-lanes-read
groupshared uint flag;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) flag = 0;
    GroupMemoryBarrierWithGroupSync();
    uint sum = 0, other = 7;
    if (flag == 0) {
        sum = WaveActiveSum(1);
    } else {
        other = WaveActiveSum(2);
    }
    EXPECT_EQ(sum, WIDTH);
    EXPECT_EQ(other, 7);
    GroupMemoryBarrierWithGroupSync();
    if (t == 1) flag = 2;
    GroupMemoryBarrierWithGroupSync();
    uint sums = 1;
    switch (flag) {
        case 1: sums = WaveActiveSum(3); break;
        case 2: sums = WaveActiveSum(4); break;
    }
    EXPECT_EQ(sums, 4 * WIDTH);
}

//--- groupshared-memory-is-zero-in-every-group
//# args -Wno-uninitialized
//# finds uninitialized-value equal-stores
//# groups 5 1 1
//# in Out u32: 9*5
RWStructuredBuffer<uint> Out;
groupshared uint tile[WIDTH];
groupshared uint64_t wide[3];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    Out[group.x] = WaveActiveSum(tile[t]) + (uint)wide[1];
    GroupMemoryBarrierWithGroupSync();
    tile[t] = 7;
    wide[t % 3] = 5;
}
//= Out u32: 0*5

//--- waves-that-watch-each-other-take-turns
// A turn has 4,096 iterations: after two turns of its own, wave 1 sees that wave 0 has reached 12,288, and leaves;
// wave 0 never sees more than these two turns.
//# finds order-dependent-result permuted-result equal-stores
//# zero Out 16
globallycoherent RWStructuredBuffer<uint> Out;
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint wave = t / WIDTH, rounds = 0;
    while (Out[1 - wave] < 10000 && rounds < 20000) Out[wave] = ++rounds;
    Out[2 + wave] = rounds;
}
//= Out u32: 20000 8192 20000 8192

//--- a-group-that-only-goes-round-lets-the-next-one-start
//# san --progress=concurrent
// After nine turns of its only wave.
//# finds order-dependent-result equal-stores
//# groups 2 1 1
//# zero Out 8
globallycoherent RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    uint rounds = 0;
    if (group.x == 0) while (Out[1] == 0) ++rounds;
    Out[group.x] = group.x == 0 ? rounds : 1;
}
//= Out u32: 36864 1

//--- a-limit-allows-more-groupshared-memory
//# args -T cs_6_10
groupshared uint cells[65536];
[GroupSharedLimit(262144)]
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    cells[65535 - t] = t;
    cells[t] = 10 * t;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(cells[65536 - WIDTH + t], WIDTH - 1 - t);
    EXPECT_EQ(cells[WIDTH - 1 - t], 10 * (WIDTH - 1 - t));
}

//--- additions-of-64-bits-carry-from-those-of-32-before
//# zero Wide 8
//= Wide u32: 0 1
RWByteAddressBuffer Wide;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // The lower word counts down from zero, without a borrow from the upper one.
    Wide.InterlockedAdd(0, 0xffffffff);
    Wide.InterlockedAdd64(0, 1ull);
}
