// Findings beside each other: what something undefined reaches is left out of the comparison of widths and orders, and
// the rest is compared.

//--- san-a-race-does-not-hide-a-sum-over-the-wave
//# zero Noise 512
//# zero Out 4
RWStructuredBuffer<uint> Noise, Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Noise[t] = tile[127 - t];
    uint sum = WaveActiveSum(t); //? width-dependent-result: `Out` depends on the wave width
    if (t == 0) Out[0] = sum;
}

//--- san-a-race-reaches-its-own-half-of-a-buffer
//# zero Out 1024
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Out[t] = tile[127 - t] * 2;
    uint sum = WaveActiveSum(1); //? width-dependent-result: `Out` depends on the wave width
    Out[128 + t] = sum;
}

//--- san-what-a-race-decides-is-not-compared
// The value decides what else is stored, and how often; all of that is undefined.
//# zero Out 512
//# zero Count 4
RWStructuredBuffer<uint> Out, Count;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t + 1; //? race: race on `tile`
    uint other = tile[127 - t];
    if (other != 0) {
        InterlockedAdd(Count[0], 1);
        Out[t] = WaveActiveCountBits(true);
    }
    uint rounds = 0;
    while (rounds < other) ++rounds;
    Out[t] += rounds;
}

//--- san-an-inactive-lane-does-not-hide-a-number-of-waves
//# zero Noise 512
//# zero Out 4
RWStructuredBuffer<uint> Noise, Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 0) Noise[t] = WaveReadLaneAt(t, 0); //? inactive-lane-read: is read while inactive
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], 1); //? width-dependent-result: `Out` depends on the wave width
}

//--- san-a-lost-lane-does-not-hide-an-order
//# widths 64
//# args -Wno-narrow-lane-mask -Wno-implicit-truncation
//# zero Low 4
//# zero Winner 4
RWStructuredBuffer<uint> Low, Winner;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint low = WaveActiveBallot(true).x; //? truncated-mask: is never read
    if (t == 0) Low[0] = low;
    if (WaveIsFirstLane()) {
        uint old;
        InterlockedExchange(Winner[0], t + 1, old); //? order-dependent-result: `Winner` depends on the order
    }
}

//--- san-an-undefined-value-stays-undefined-through-memory
// Through groupshared memory, a wave operation and a loop: nothing else is reported.
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value; //? uninitialized-value: `value` is used before it is given a value
    if (t < 64) value = t;
    tile[t] = value;
    GroupMemoryBarrierWithGroupSync();
    uint sum = 0;
    for (uint i = 0; i < 4; ++i) sum += tile[(t + i * 32) % 128];
    Out[t] = WaveActiveSum(sum);
}

//--- san-a-store-replaces-what-a-race-left
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Out[t] = tile[127 - t];
    Out[t] = WaveActiveSum(1); //? width-dependent-result: `Out` depends on the wave width
}

//--- san-an-addition-keeps-what-a-race-left
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Out[t] = tile[127 - t];
    InterlockedAdd(Out[t], 5);
}

//--- san-a-conversion-out-of-range-is-not-compared
// Waves of 4 lanes convert 4e9, which is in range; all others convert more.
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float large = WaveActiveSum(1.0) * 1e9;
    Out[t] = uint(large); //? conversion-out-of-range: cannot represent it
}

//--- san-a-selection-takes-only-what-it-chooses
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    uint noise = tile[127 - t];
    uint sum = WaveActiveSum(1); //? width-dependent-result: `Out` depends on the wave width
    Out[t] = select(t < 64, noise, sum);
}

//--- san-a-selection-of-what-a-race-left-is-not-compared
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    uint noise = tile[127 - t];
    Out[t] = select(t % 2 == 0, noise, t);
}

//--- san-what-a-race-might-have-stored-is-not-compared
// One wave of 128 lanes has no race, and stores where the lanes of other waves might have stored.
//# zero Out[0] 512
//# zero Out[1] 512
RWStructuredBuffer<uint> Out[2];
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t + 1; //? race: race on `tile`
    uint other = tile[127 - t];
    if (other != 0) {
        uint at = (t * 5 + 3) % 128;
        Out[1][at] = 7;
    }
}

//--- san-a-race-and-a-shift-out-of-range-hide-no-number-of-lanes
//# finds shift-out-of-range
//# zero Noise 512
//# zero Out 512
RWStructuredBuffer<uint> Noise, Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Noise[t] = tile[127 - t];
    uint count = WaveActiveSum(1); //? width-dependent-result: `Out` depends on the wave width
    Out[t] = count << (32 + (t & 3));
}

// Each place that differs is a separate finding, so that an allowed one hides no other.

//--- san-two-buffers-depend-on-the-width
//# in In u32: 0..64
//# zero A 256
//# zero B 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> A, B;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = WaveActiveSum(In[t]); //? width-dependent-result: `A` depends on the wave width
    B[t] = WavePrefixCountBits(In[t] % 3 == 0); //? width-dependent-result: `B` depends on the wave width
}

//--- san-two-places-of-a-buffer-depend-on-the-width
//# in In u32: 0..64
//# zero Out 512
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[2 * t] = WaveActiveSum(In[t]); //? width-dependent-result: element 0 of `Out` is the first that differs
    Out[2 * t + 1] = WavePrefixCountBits(In[t] % 3 == 0); //? width-dependent-result: waves of 64 and 128 lanes give one result
}

//--- san-one-cause-of-two-results-is-one-finding
//# zero A 256
//# zero B 256
RWStructuredBuffer<uint> A, B;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t); //? width-dependent-result: `B` depends on the wave width for the same reason
    A[t] = sum;
    B[t] = sum + 1;
}

//--- san-two-buffers-depend-on-the-order
//# groups 4
//# zero First 4
//# zero Other 32
RWStructuredBuffer<uint> First, Other;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
    uint old;
    if (t == 0) InterlockedExchange(First[0], g.x + 1, old); //? order-dependent-result: `First` depends on the order
    if (t == 0) InterlockedExchange(Other[0], g.x + 1, old); //? order-dependent-result: `Other` depends on the order
}

// Widths at which a result is undefined agree with no other width.

//--- san-widths-that-are-not-compared-are-not-a-reference
//# in In u32: 0..128
//# zero Out 512
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = In[t]; //? race
    uint v = tile[t ^ 16];
    uint half = WaveGetLaneCount() / 2;
    if (half > 16) v += 1; //? width-dependent-result: waves of 64 and 128 lanes give one result, of 32 another
    Out[t] = v;
}

//--- san-a-difference-between-widths-that-are-compared
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint v; //? uninitialized-value
    if (WaveGetLaneCount() != 16 && WaveGetLaneCount() < 64) v = 1;
    if (WaveGetLaneCount() == 32) v = 7; //? width-dependent-result: waves of 4 and 8 lanes give one result, of 32 another
    Out[t] = v;
}

// In pixel shaders, an undefined value reaches its own target.

//--- san-an-undefined-target-does-not-hide-another-one
//# draw 4x4
//# widths 8 16 32
//# target A R32_FLOAT
//# target B R32_FLOAT
#include "pixel/fullscreen.hlsli"
struct P { float a : SV_Target0; float b : SV_Target1; };
P ps(V v) {
    P p;
    float x; //? uninitialized-value
    if (v.position.x > 1) x = 1;
    p.a = x;
    p.b = WaveActiveMax(v.position.y); //? depends-on-packing: `B` depends on which quads share a wave
    return p;
}

//--- san-two-targets-depend-on-the-packing
//# draw 4x4
//# widths 4
//# target A R32_FLOAT
//# target B R32_FLOAT
//# san --orders=packing=one-quad,quad-origin=10
#include "pixel/fullscreen.hlsli"
struct P { float a : SV_Target0; float b : SV_Target1; };
P ps(V v) {
    P p;
    p.a = WaveActiveCountBits(v.position.x < 1); //? depends-on-quads: `A` depends on which pixels form a quad
    p.b = WaveActiveMax(v.position.x) + ddx(v.position.x); //? depends-on-quads: `B` depends on which pixels form a quad
    return p;
}
