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

// Sums of floats whose rounding depends on the width are equal up to that, whatever the type of their buffer.

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
