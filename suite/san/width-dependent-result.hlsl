// Results that differ from one wave width to another.

//--- san-a-sum-over-the-wave-is-taken-for-one-over-the-group
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t); //? width-dependent-result: `Out` depends on the wave width
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-that-differs-in-the-second-round-only
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0; i < 2; ++i) {
        sum += WaveActiveSum(i * t); //? width-dependent-result: `Out` depends on the wave width
    }
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-over-the-group-by-waves
//# zero Out 4
//= Out u32: 8128
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], sum);
}

// Partial sums differ at every width, and rightly so; what goes wrong is that at 128 lanes they are not added up.

//--- san-sums-of-waves-that-are-not-added-up-at-one-width
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
groupshared uint total;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    if (lanes < 128) { //? width-dependent-result: `Out` depends on the wave width
        if (t == 0) {
            for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = total;
}

//--- san-a-count-that-stops-too-early-at-one-width
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    GroupMemoryBarrierWithGroupSync();
    uint total = 0;
    uint waves = 128 / lanes;
    if (waves > 16) waves = 16; //? width-dependent-result: `Out` depends on the wave width
    for (uint i = 0; i < waves; ++i) total += sums[i];
    Out[t] = total;
}

//--- san-sums-of-waves-that-are-added-up-at-every-width
//# zero Out 512
//= Out u32: 8256 8256 8256 8256
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
groupshared uint total;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = total;
}

// Nothing but the number of lanes is to blame where a result is made of it.

//--- san-the-number-of-lanes-is-stored
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount(); //? width-dependent-result: `Out` depends on the wave width
    Out[t] = lanes * 2;
}

// The cause is a comparison, and the label says what it compares.

//--- san-equality-holds-at-one-width
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint seen = 1;
    if (lanes == 128) seen = 2; //? width-dependent-result: `64 == 128` is false (waves of 64 lanes), `128 == 128` is true
    Out[t] = seen;
}

//--- san-inequality-fails-at-one-width
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint seen = 1;
    if (lanes != 128) seen = 2; //? width-dependent-result: `64 != 128` is true (waves of 64 lanes), `128 != 128` is false
    Out[t] = seen;
}

// Sums of floats whose rounding depends on the width are equal up to that, regardless of the type of their buffer.

//--- san-typed-floats-are-equal-up-to-rounding
//# zero Out 512
RWBuffer<float> Out;
groupshared float sums[32];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    float sum = WaveActiveSum(1.0 / (3 * t + 1));
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    GroupMemoryBarrierWithGroupSync();
    float total = 0;
    for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
    EXPECT_EQ(uint(total * 100), 266);
    Out[t] = total;
}

//--- san-raw-floats-are-equal-up-to-rounding
//# zero Out 512
RWByteAddressBuffer Out;
groupshared float sums[32];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    float sum = WaveActiveSum(1.0 / (3 * t + 1));
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    GroupMemoryBarrierWithGroupSync();
    float total = 0;
    for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
    EXPECT_EQ(uint(total * 100), 266);
    Out.Store<float>(4 * t, total);
}

//--- san-floats-in-arrays-of-members-are-equal-up-to-rounding
//# zero Out 4096
struct Row { uint index; float2 values[3]; float last; };
RWStructuredBuffer<Row> Out;
groupshared float sums[32];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    float sum = WaveActiveSum(1.0 / (3 * t + 1));
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    GroupMemoryBarrierWithGroupSync();
    float total = 0;
    for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
    Row row;
    row.index = t;
    for (uint k = 0; k < 3; ++k) row.values[k] = float2(total, total + k);
    row.last = total;
    EXPECT_EQ(uint(total * 100), 266);
    Out[t] = row;
}

//--- san-integers-beside-arrays-of-floats-have-no-tolerance
//# finds width-dependent-result
//# zero Out 2048
struct Row { float values[3]; uint bits; };
RWStructuredBuffer<Row> Out;
groupshared float sums[32];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    float sum = WaveActiveSum(1.0 / (3 * t + 1)); //? order-dependent-result: byte 12 of element 0 of `Out` is the first that differs
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    GroupMemoryBarrierWithGroupSync();
    float total = 0;
    for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
    Row row;
    row.values[0] = row.values[1] = row.values[2] = total;
    row.bits = asuint(total);
    Out[t] = row;
}

// The way from the cause to the result leads through a decision elsewhere.

//--- san-a-decision-on-the-number-of-lanes-is-reported
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
groupshared uint total;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    bool many = lanes < 128; //? width-dependent-result: so the condition is true (waves of 64 lanes), or false (waves of 128 lanes)
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    if (many) {
        if (t == 0) {
            for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = total;
}

// Waves take their work from a counter, so that other threads do it, in other rounds: they are matched by what they store.

//--- san-work-from-a-counter-goes-wrong-at-one-width
//# widths 4 8 16
//# zero Out 256
groupshared uint next;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) next = 0;
    GroupMemoryBarrierWithGroupSync();
    while (true) {
        uint first = 0;
        if (WaveIsFirstLane()) InterlockedAdd(next, WaveGetLaneCount(), first);
        first = WaveReadLaneFirst(first);
        if (first >= 64) break;
        uint item = first + WaveGetLaneIndex();
        uint value = item * 3;
        if (item == 21 && WaveGetLaneCount() < 8) value += 1; //? width-dependent-result: `4 < 8` is true (waves of 4 lanes)
        Out[item] = value;
    }
}

//--- san-work-from-two-counters-goes-wrong-at-one-width
//# widths 4 8 16
//# zero Out 256
groupshared uint nextOdd, nextEven, ticket[8];
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) nextOdd = nextEven = 0;
    GroupMemoryBarrierWithGroupSync();
    uint wave = t / WaveGetLaneCount();
    for (uint odd = 0; odd < 2; ++odd) {
        while (true) {
            if (WaveIsFirstLane()) {
                if (odd) InterlockedAdd(nextOdd, WaveGetLaneCount(), ticket[wave]);
                else InterlockedAdd(nextEven, WaveGetLaneCount(), ticket[wave]);
            }
            uint first = ticket[wave];
            if (first >= 32) break;
            uint item = (first + WaveGetLaneIndex()) * 2 + odd;
            uint value = WaveActiveMax(7) + item;
            if (WaveGetLaneCount() > 8 && item == 43) value = 9; //? width-dependent-result: `16 > 8` is true (waves of 16 lanes)
            Out[item] = value;
        }
    }
}

//--- san-work-from-a-counter-is-the-same-at-every-width
//# widths 4 8 16
//# zero Out 256
groupshared uint next;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) next = 0;
    GroupMemoryBarrierWithGroupSync();
    while (true) {
        uint first = 0;
        if (WaveIsFirstLane()) InterlockedAdd(next, WaveGetLaneCount(), first);
        first = WaveReadLaneFirst(first);
        if (first >= 64) break;
        uint item = first + WaveGetLaneIndex();
        uint value = item * 3;
        if (item == 21 && WaveGetLaneCount() < 256) value += 1;
        Out[item] = value;
    }
}
//= Out u32: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45 48 51 54 57 60 64

//--- san-a-texel-that-differs-is-named
//# texture Image R32_UINT 4x2
RWTexture2D<uint> Image;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Image[uint2(t % 4, t / 4)] = t < 6 ? t : WaveGetLaneCount(); //? width-dependent-result: texel (2, 1) of `Image` is the first that differs
}

// The lane 0 of a wave need not be active; groups are looked at one by one.

//--- san-the-first-lane-taken-for-the-first-active-one
//# groups 4 1 1
//# zero Count 4
RWStructuredBuffer<uint> Count;
[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    if (i % 3 == 1) {
        uint n = WaveActiveCountBits(true);
        if (WaveGetLaneIndex() == 0) InterlockedAdd(Count[0], n); //? width-dependent-result: does thread 16 store this
    }
}

//--- san-the-first-active-lane
//# groups 4 1 1
//# zero Count 4
//= Count u32: 85
RWStructuredBuffer<uint> Count;
[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    if (i % 3 == 1) {
        uint n = WaveActiveCountBits(true);
        if (WaveIsFirstLane()) InterlockedAdd(Count[0], n);
    }
}

//--- san-the-first-lanes-of-a-group-are-counted
//# in In u32: 0..64
//# zero Out 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint n;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) n = 0;
    GroupMemoryBarrierWithGroupSync();
    if (WaveIsFirstLane()) InterlockedAdd(n, 1); //? width-dependent-result: gets false (waves of 64 lanes), or true (waves of 4 lanes)
    GroupMemoryBarrierWithGroupSync();
    Out[t] = In[t] * n;
}

// The sums of the waves are divided differently in the right runs, too. What they have in common is that one wave scans
// them all.

//--- san-the-sums-of-waves-are-scanned-by-several-waves
//# in In u32: 0..256
//# zero Out 1024
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[64];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint w = t / WaveGetLaneCount(), n = 256 / WaveGetLaneCount();
    uint v = In[t], p = WavePrefixSum(v);
    if (WaveGetLaneIndex() == WaveGetLaneCount() - 1) sums[w] = p + v;
    GroupMemoryBarrierWithGroupSync();
    if (t < n) sums[t] = WavePrefixSum(sums[t]); //? width-dependent-result: of threads 0 to 15 (waves of 16 lanes)
    GroupMemoryBarrierWithGroupSync();
    Out[t] = sums[w] + p;
}

// A look-back whose sums of waves are added up eight at most: the first that goes wrong is what the loop ends with. The
// atomic operations by which groups read each other's state change nothing.

//--- san-a-look-back-that-adds-up-too-few-waves
//# groups 8 1 1
//# in In u32: 0..512
//# zero State 32
//# zero Ticket 4
//# zero Out 2048
globallycoherent RWStructuredBuffer<uint> State;
RWStructuredBuffer<uint> Ticket;
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint ticket, before, sums[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint taken;
        InterlockedAdd(Ticket[0], 1, taken);
        ticket = taken;
        before = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    uint g = ticket, w = t / WaveGetLaneCount(), n = 64 / WaveGetLaneCount();
    uint v = In[g * 64 + t];
    uint p = WavePrefixSum(v);
    if (WaveGetLaneIndex() == WaveGetLaneCount() - 1 || t == 63) sums[w] = p + v;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        uint all = 0, old;
        for (uint k = 0; k < min(max(n, 1), 8); ++k) { //? width-dependent-result: `4 < 8` is true (waves of 8 lanes), `8 < 8` is false (waves of 4 lanes)
            uint x = sums[k];
            sums[k] = all;
            all += x; //? width-dependent-result: gets 2016 (waves of 8 lanes), or 496 (waves of 4 lanes)
        }
        if (g > 0) {
            uint state;
            do { InterlockedOr(State[g - 1], 0, state); } while (state == 0);
            before = state - 1;
        }
        InterlockedExchange(State[g], before + all + 1, old);
    }
    GroupMemoryBarrierWithGroupSync();
    Out[g * 64 + t] = before + sums[w] + p;
}
