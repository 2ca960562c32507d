// The programs of the texts that introduced the wave intrinsics, corrected where necessary, and their tables.

//--- the-table-of-prefix-sums-and-products
//# widths 8
//# zero Sums 32
//# zero Products 32
//= Sums u32: 0 0 2 4 0 6 8 10
//= Products u32: 0 1 2 4 0 8 16 32
RWStructuredBuffer<uint> Sums;
RWStructuredBuffer<uint> Products;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 == 0) return;
    Sums[t] = WavePrefixSum(2u);
    Products[t] = WavePrefixProduct(2u);
}

//--- the-illustration-of-multi-prefix-sum
// Lane 0 names lane 1, which is not active: that bit is ignored, and lanes 0 and 3 are one group.
//# widths 8
//# in Masks u32: 0x0b 0 0x14 0x09 0x14 0xe0 0xe0 0xe0
//# in Values i32: 6 0 0 3 -2 1 4 5
//# in Out i32: 99*8
//= Out i32: 0 99 0 6 0 0 1 5
StructuredBuffer<uint> Masks;
StructuredBuffer<int> Values;
RWStructuredBuffer<int> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 1) return;
    Out[t] = WaveMultiPrefixSum(Values[t], uint4(Masks[t], 0, 0, 0));
}

//--- stream-compaction-keeps-the-order
//# finds order-dependent-result race
//# groups 3 1 1
//# zero Kept 4096
//# zero Size 4
RWStructuredBuffer<uint> Kept;
RWStructuredBuffer<uint> Size;
[numthreads(2 * WIDTH, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    bool keep = thread % 3 == 0;
    uint start = 0;
    uint before = WavePrefixCountBits(keep), all = WaveActiveCountBits(keep);
    if (WaveIsFirstLane()) InterlockedAdd(Size[0], all, start);
    start = WaveReadLaneFirst(start);
    if (keep) Kept[start + before] = thread;
    // Waves append in order here, so that every kept item is where a loop over all threads would put it.
    if (keep) EXPECT_EQ(start + before, thread / 3);
    if (keep) EXPECT_EQ(Kept[thread / 3], thread);
}

//--- ordered-append-of-several-items-a-lane
//# finds order-dependent-result
//# zero Items 16384
//# zero Size 4
RWStructuredBuffer<uint> Items;
RWStructuredBuffer<uint> Size;
uint countOf(uint thread) { return thread * 7 % 5; }
[numthreads(2 * WIDTH, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    uint count = countOf(thread);
    uint start = 0;
    uint before = WavePrefixSum(count), all = WaveActiveSum(count);
    if (WaveIsFirstLane()) InterlockedAdd(Size[0], all, start);
    start = WaveReadLaneFirst(start) + before;
    for (uint i = 0; i < count; ++i) Items[start + i] = thread * 16 + i;
    GroupMemoryBarrierWithGroupSync();
    uint expected = 0;
    for (uint other = 0; other < thread; ++other) expected += countOf(other);
    EXPECT_EQ(start, expected);
    if (count > 0) EXPECT_EQ(Items[expected], thread * 16);
    if (count > 1) EXPECT_EQ(Items[expected + count - 1], thread * 16 + count - 1);
}

//--- one-atomic-for-each-key
//# zero Words 20
RWStructuredBuffer<uint> Words;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = t % 5;
    uint bit = 1u << (t % 32);
    uint4 group = WaveMatch(key);
    int4 highest = (int4)(firstbithigh(group) | uint4(0, 0x20, 0x40, 0x60));
    uint leader = (uint)max(max(max(highest.x, highest.y), highest.z), highest.w);
    uint others = WaveMultiPrefixBitOr(bit, group);
    if (WaveGetLaneIndex() == leader) InterlockedOr(Words[key], others | bit);
    AllMemoryBarrierWithGroupSync();
    uint expected = 0;
    for (uint other = key; other < WIDTH; other += 5) expected |= 1u << (other % 32);
    EXPECT_EQ(Words[key], expected);
}

//--- match-with-multi-prefix-equals-the-waterfall-loop
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 7 == 3) return;
    int value = (int)t - 5;
    uint key = t * 5 % 3;
    int byLoop = 0;
    while (true) {
        if (WaveReadLaneFirst(key) == key) {
            byLoop = WavePrefixSum(value);
            break;
        }
    }
    EXPECT_EQ(WaveMultiPrefixSum(value, WaveMatch(key)), byLoop);
}

//--- free-particle-ids
//# finds order-dependent-result
//# groups 2 1 1
//# zero Free 2048
//# zero Sizes 8
//# in $Globals u32: 1
Buffer<int> Unused;
RWBuffer<int> Free;
RWBuffer<int> Sizes;
uint ListIndex;
int indexOf(uint particle) { return particle % 3 == 1 ? -1 : (int)particle; }
[numthreads(WIDTH, 1, 1)]
void main(uint particle : SV_DispatchThreadID) {
    uint isFree = indexOf(particle) == -1 ? 1 : 0;
    uint inWave = WaveActiveCountBits(isFree);
    uint offset = WavePrefixCountBits(isFree);
    if (inWave > 0) {
        uint start;
        if (WaveIsFirstLane()) InterlockedAdd(Sizes[ListIndex], inWave, start);
        start = WaveReadLaneFirst(start);
        if (isFree) {
            Free[start + offset] = particle;
            EXPECT_EQ(start + offset, particle / 3);
            EXPECT_EQ(Free[particle / 3], (int)particle);
        }
    }
}

//--- three-threads-as-the-last-of-them-sees-it
// The compute column of the table that shows which operations count helper lanes: three threads, no helpers.
[numthreads(3, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 2) EXPECT(!IsHelperLane());
    bool h = IsHelperLane();
    bool any = WaveActiveAnyTrue(h), all = WaveActiveAllTrue(!h), equal = WaveActiveAllEqual(h);
    uint4 ballot = WaveActiveBallot(true), match = WaveMatch(true), everyone = uint4(~0u, ~0u, ~0u, ~0u);
    uint count = WaveActiveCountBits(true), sum = WaveActiveSum(4u), product = WaveActiveProduct(4u);
    uint both = WaveActiveBitAnd(h ? 0u : 1u), either = WaveActiveBitOr(h ? 1u : 0u), odd = WaveActiveBitXor(h ? 1u : 0u);
    uint low = WaveActiveMin(h ? 1 : 10), high = WaveActiveMax(h ? 10 : 1);
    uint before = WavePrefixCountBits(true), times = WavePrefixProduct(4u), plus = WavePrefixSum(2u);
    uint multiCount = WaveMultiPrefixCountBits(true, everyone);
    uint multiSum = WaveMultiPrefixSum(2u, everyone), multiProduct = WaveMultiPrefixProduct(4u, everyone);
    uint multiAnd = WaveMultiPrefixBitAnd(h ? 0u : 1u, everyone);
    uint multiOr = WaveMultiPrefixBitOr(h ? 1u : 0u, everyone), multiXor = WaveMultiPrefixBitXor(h ? 1u : 0u, everyone);
    uint rounds = 0;
    for (uint n = 0; n < WaveGetLaneCount();) {
        ++n;
        ++rounds;
        if (WaveReadLaneFirst(!IsHelperLane()) && WaveIsFirstLane()) break;
    }
    if (t == 2) {
        EXPECT(!any && all && equal);
        EXPECT_EQ(ballot, uint4(7, 0, 0, 0));
        EXPECT_EQ(match, uint4(7, 0, 0, 0));
        EXPECT_EQ(rounds, 3);
        EXPECT_EQ(uint3(count, sum, product), uint3(3, 12, 64));
        EXPECT_EQ(uint3(both, either, odd), uint3(1, 0, 0));
        EXPECT_EQ(uint2(low, high), uint2(10, 1));
        EXPECT_EQ(uint3(before, times, plus), uint3(2, 16, 4));
        EXPECT_EQ(uint3(multiCount, multiSum, multiProduct), uint3(2, 4, 16));
        EXPECT_EQ(uint3(multiAnd, multiOr, multiXor), uint3(1, 0, 0));
    }
}
