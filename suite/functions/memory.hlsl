// Functions that change or order memory, and that query access status.
// Lanes act in ascending order, so that the value each one finds is known.

//--- interlockedadd-of-every-type
//# finds equal-stores
//# zero U 16
//# zero L 32
RWStructuredBuffer<uint> U;
RWStructuredBuffer<uint64_t> L;
groupshared int shared_sum;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    shared_sum = 0;
    GroupMemoryBarrierWithGroupSync();
    uint before;
    InterlockedAdd(U[0], t, before);
    EXPECT_EQ(before, t * (t - 1) / 2);
    InterlockedAdd(shared_sum, -1);
    InterlockedAdd(U[1], 0x40000000u);
    uint64_t wide;
    InterlockedAdd(L[0], 1ull << 32, wide);
    EXPECT_EQ(wide, (uint64_t)t << 32);
    int as_int;
    InterlockedAdd(U[2], 1, as_int);
    EXPECT_EQ(as_int, (int)t);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(shared_sum, -WIDTH);
    EXPECT_EQ(U[0], WIDTH * (WIDTH - 1) / 2);
    EXPECT_EQ(U[1], (uint)WIDTH * 0x40000000u);
    EXPECT_EQ(L[0], (uint64_t)WIDTH << 32);
}

//--- interlockedmin-and-max-compare-by-the-type-of-the-place
//# finds equal-stores
//# in I i32: 5 5 5 5
//# in L i64: 5 5 5 5
RWStructuredBuffer<int> I;
RWStructuredBuffer<int64_t> L;
groupshared uint U[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    U[0] = U[1] = 5;
    GroupMemoryBarrierWithGroupSync();
    int before;
    InterlockedMin(I[0], -(int)t, before);
    EXPECT_EQ(before, t == 0 ? 5 : 1 - (int)t);
    InterlockedMax(I[1], -1);
    InterlockedMin(U[0], 0xfffffff0u);
    uint unsigned_before;
    InterlockedMax(U[1], 0xfffffff0u, unsigned_before);
    EXPECT_EQ(unsigned_before, t == 0 ? 5 : 0xfffffff0);
    InterlockedMin(L[0], -((int64_t)t << 40));
    int64_t wide;
    InterlockedMax(L[1], (int64_t)t << 40, wide);
    EXPECT_EQ(wide, t < 2 ? 5ll : (int64_t)(t - 1) << 40);
    AllMemoryBarrierWithGroupSync();
    EXPECT_EQ(I[0], 1 - WIDTH);
    EXPECT_EQ(I[1], 5);
    EXPECT_EQ(U[0], 5);
    EXPECT_EQ(U[1], 0xfffffff0);
    EXPECT_EQ(L[0], -((int64_t)(WIDTH - 1) << 40));
    EXPECT_EQ(L[1], (int64_t)(WIDTH - 1) << 40);
}

//--- interlockedand-or-and-xor-change-bits
//# finds shift-out-of-range
//# in U u32: 0xffffffff 0 0 0
//# in L u64: 0xffffffffffffffff 0 0
RWStructuredBuffer<uint> U;
RWStructuredBuffer<uint64_t> L;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint bit = 1u << t % 32, before;
    InterlockedAnd(U[0], ~bit, before);
    EXPECT_EQ(before, t < 32 ? 0xffffffff << t : 0);
    InterlockedOr(U[1], bit, before);
    EXPECT_EQ(before, t < 32 ? bit - 1 : 0xffffffff);
    InterlockedXor(U[2], bit, before);
    EXPECT_EQ(before, t / 32 % 2 == 0 ? bit - 1 : ~(bit - 1));
    InterlockedAnd(L[0], ~(1ull << t % 64));
    InterlockedOr(L[1], 1ull << t % 64);
    InterlockedXor(L[2], 1ull << 63);
    InterlockedAnd(U[3], 0u);
    InterlockedOr(U[3], 0u);
    InterlockedXor(U[3], 0u);
    DeviceMemoryBarrierWithGroupSync();
    EXPECT_EQ(U[1], WIDTH < 32 ? (1u << WIDTH % 32) - 1 : 0xffffffff);
    EXPECT_EQ(L[1], WIDTH < 64 ? (1ull << WIDTH % 64) - 1 : 0xffffffffffffffffull);
    EXPECT_EQ(L[0], ~L[1]);
    EXPECT_EQ(L[2], 0ull);
    EXPECT_EQ(U[3], 0);
}

//--- interlockedexchange-of-integers-and-floats
//# in F f32: 0.5
//# in U u32: 7
//# in L i64: -7
RWStructuredBuffer<float> F;
RWStructuredBuffer<uint> U;
RWStructuredBuffer<int64_t> L;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float before;
    InterlockedExchange(F[0], (float)t, before);
    EXPECT_EQ(before, t == 0 ? 0.5 : t - 1.0);
    uint old;
    InterlockedExchange(U[0], t, old);
    EXPECT_EQ(old, t == 0 ? 7 : t - 1);
    int64_t wide;
    InterlockedExchange(L[0], (int64_t)t << 33, wide);
    EXPECT_EQ(wide, t == 0 ? -7ll : (int64_t)(t - 1) << 33);
}

//--- interlockedcompareexchange-stores-where-the-comparand-is
//# zero U 8
//# zero L 16
RWStructuredBuffer<uint> U;
RWStructuredBuffer<uint64_t> L;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint before;
    InterlockedCompareExchange(U[0], t, t + 1, before);
    EXPECT_EQ(before, t);
    InterlockedCompareExchange(U[0], 0xffffffff, 9u, before);
    InterlockedCompareStore(U[1], t & ~1u, t + 2);
    uint64_t wide;
    InterlockedCompareExchange(L[0], (uint64_t)t << 32, (uint64_t)(t + 1) << 32, wide);
    EXPECT_EQ(wide, (uint64_t)t << 32);
    InterlockedCompareStore(L[1], (uint64_t)t, (uint64_t)t + 1);
    DeviceMemoryBarrierWithGroupSync();
    EXPECT_EQ(U[0], WIDTH);
    EXPECT_EQ(U[1], WIDTH);
    EXPECT_EQ(L[1], (uint64_t)WIDTH);
}

//--- float-comparands-are-compared-by-their-bits
//# finds equal-stores
//# in F f32: -0 nan 0.5
RWStructuredBuffer<float> F;
groupshared float shared_float;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    shared_float = 1;
    GroupMemoryBarrierWithGroupSync();
    float before;
    // The zeros are equal as numbers, but not as bits.
    InterlockedCompareExchangeFloatBitwise(F[0], 0.0, 1.0, before);
    EXPECT_EQ(asuint(before), 0x80000000);
    // A NaN is equal to no number, but to its own bits.
    InterlockedCompareStoreFloatBitwise(F[1], asfloat(0x7fc00000), 2.0);
    InterlockedCompareExchangeFloatBitwise(F[2], t == 0 ? 0.5 : (float)t, t + 1.0, before);
    EXPECT_EQ(before, t == 0 ? 0.5 : (float)t);
    InterlockedCompareStoreFloatBitwise(shared_float, 1.0 + t, 2.0 + t);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(F[1], 2.0);
    EXPECT_EQ(F[2], (float)WIDTH);
    EXPECT_EQ(shared_float, 1.0 + WIDTH);
}

//--- atomics-on-the-bits-of-floats-in-texels
//# in Row f32: -0.0*128
//# texture Tex R32_FLOAT 128x1
RWBuffer<float> Row;
RWTexture2D<float> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float before;
    // The zeros are equal as numbers, but not as bits.
    InterlockedCompareExchangeFloatBitwise(Row[t], 0.0, 1.0, before);
    EXPECT_EQ(asuint(before), 0x80000000);
    InterlockedCompareStoreFloatBitwise(Row[t], -0.0, t + 0.5);
    InterlockedExchange(Row[t], 7.0, before);
    EXPECT_EQ(before, t + 0.5);
    EXPECT_EQ(Row[t], 7.0);
    Tex[uint2(t, 0)] = asfloat(0x7fc00000 + t);
    // A NaN is equal to no number, but to its own bits.
    InterlockedCompareExchangeFloatBitwise(Tex[uint2(t, 0)], asfloat(0x7fc00000 + t), 2.5, before);
    EXPECT_EQ(asuint(before), 0x7fc00000 + t);
    EXPECT_EQ(Tex[uint2(t, 0)], 2.5);
    InterlockedExchange(Tex[uint2(t, 0)], t - 1.0, before);
    EXPECT_EQ(before, 2.5);
    EXPECT_EQ(Tex.Load(int2(t, 0)), t - 1.0);
}

//--- barriers-that-wait-and-barriers-that-only-order
//# zero B 4096
RWStructuredBuffer<uint> B;
groupshared uint shared_values[4 * WIDTH];
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint other = 2 * WIDTH - 1 - t;
    shared_values[t] = t;
    GroupMemoryBarrier();
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(shared_values[other], other);
    B[t] = t + 1;
    DeviceMemoryBarrier();
    DeviceMemoryBarrierWithGroupSync();
    EXPECT_EQ(B[other], other + 1);
    shared_values[2 * WIDTH + t] = B[2 * WIDTH + t] = t + 2;
    AllMemoryBarrier();
    AllMemoryBarrierWithGroupSync();
    EXPECT_EQ(shared_values[2 * WIDTH + other], other + 2);
    EXPECT_EQ(B[2 * WIDTH + other], other + 2);
}

//--- barrier-with-flags-orders-what-they-name
//# args -T cs_6_8
//# zero B 4096
RWStructuredBuffer<uint> B;
groupshared uint shared_values[4 * WIDTH];
static const uint EVERYTHING = ALL_MEMORY;
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint other = 2 * WIDTH - 1 - t;
    shared_values[t] = t;
    Barrier(GROUP_SHARED_MEMORY, GROUP_SYNC | GROUP_SCOPE);
    EXPECT_EQ(shared_values[other], other);
    B[t] = t + 1;
    Barrier(UAV_MEMORY, GROUP_SYNC | GROUP_SCOPE);
    EXPECT_EQ(B[other], other + 1);
    Barrier(B, GROUP_SYNC | DEVICE_SCOPE);
    shared_values[2 * WIDTH + t] = B[2 * WIDTH + t] = t + 2;
    Barrier(EVERYTHING, GROUP_SYNC | GROUP_SCOPE);
    EXPECT_EQ(shared_values[2 * WIDTH + other], other + 2);
    EXPECT_EQ(B[2 * WIDTH + other], other + 2);
    // Without GROUP_SYNC no wave waits, so lanes may diverge before it.
    if (t & 1) Barrier(UAV_MEMORY, DEVICE_SCOPE);
    EXPECT_EQ(ALL_MEMORY, UAV_MEMORY | GROUP_SHARED_MEMORY | NODE_INPUT_MEMORY | NODE_OUTPUT_MEMORY);
}

//--- the-flags-of-a-barrier-are-constant
//# args -T cs_6_8
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Barrier(UAV_MEMORY, t); //~ error[not-constant]: the flags of a barrier must be constant
}

//--- the-names-of-flags-can-be-declared-anew
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint GROUP_SYNC = t + 7;
    EXPECT_EQ(GROUP_SYNC, t + 7);
}

//--- checkaccessfullymapped-of-memory-that-is-all-there
//# in B u32: 5 6 7 8
StructuredBuffer<uint> B;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint status;
    EXPECT_EQ(B.Load(t % 4, status), 5 + t % 4);
    EXPECT(CheckAccessFullyMapped(status));
    EXPECT(!CheckAccessFullyMapped(0));
}

//--- nonuniformresourceindex-is-its-argument
//# in B[0] u32: 10
//# in B[1] u32: 11
StructuredBuffer<uint> B[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(B[NonUniformResourceIndex(t & 1)][0], 10 + (t & 1));
    EXPECT_EQ(NonUniformResourceIndex(t) + 1, t + 1);
    EXPECT_EQ(NonUniformResourceIndex(int2(-1, 2)), int2(-1, 2));
}

//--- matrices-in-raw-buffers-can-lie-the-other-way-round
//# args -fspv-use-legacy-buffer-matrix-order
//# in In u32: 1 2 3 4 5 6
//# zero Out 24
ByteAddressBuffer In;
RWByteAddressBuffer Out;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint2x3 it = In.Load<uint2x3>(0);
    EXPECT_EQ(it[0], uint3(1, 2, 3));
    EXPECT_EQ(it[1], uint3(4, 5, 6));
    if (lane == 0) Out.Store(0, it);
}
//= Out u32: 1 2 3 4 5 6
