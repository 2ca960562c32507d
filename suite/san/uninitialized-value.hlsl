// Values that were never set.

//--- san-a-variable-without-a-value
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x; //? uninitialized-value: `x` is used before it is given a value
    if (t & 1) x = t;
    Out[t] = x;
}

//--- san-groupshared-memory-without-a-value
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t & 1) tile[t] = t; //? uninitialized-value: `tile` is read before it is written
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[t];
}

//--- san-one-component-without-a-value
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 pair; //? uninitialized-value: `pair` is used before it is given a value
    pair.x = t;
    Out[t] = pair.x + pair.y;
}

//--- san-both-components-have-a-value
//# zero Out 512
//= Out u32: 5 6 7 8
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 pair;
    pair.x = t;
    pair.y = 5;
    Out[t] = pair.x + pair.y;
}

//--- san-atomic-operations-that-ignore-what-was-there
//# zero Out 512
//= Out u32: 6 6 6 6
groupshared uint none, last, all;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint before;
        InterlockedAnd(none, 0);
        InterlockedExchange(last, 7, before);
        InterlockedOr(all, 0xffffffff);
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = none + last + all;
}

//--- san-a-loop-that-runs-gives-a-value
// The sum of two variables, of which one is set on every path that is taken: only the other one is to blame.
//# args -Wno-uninitialized
//# widths 4 32
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a;
    for (uint i = 0; i < 2; ++i) a = i;
    uint b; //? uninitialized-value: `b` is used before it is given a value
    if (t & 1) b = 5;
    Out[t] = a + b;
}

//--- san-a-returned-struct
//# args -Wno-uninitialized
//# widths 4 32
//# zero Out 512
struct Pair { uint a, b; };
RWStructuredBuffer<uint> Out;
Pair made(uint t) {
    Pair pair;
    pair.a = t;
    if (t & 1) pair.b = t; //? uninitialized-value: a part of `pair` is used before it is given a value
    return pair;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint other;
    for (uint i = 0; i < 2; ++i) other = i;
    Pair pair = made(t);
    Out[t] = other + pair.b;
}

//--- san-an-array-in-a-struct
//# args -Wno-uninitialized
//# widths 4 32
//# zero Out 512
struct Bag { uint count; uint items[4]; };
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint item; //? uninitialized-value: `item` is used before it is given a value
    if (t & 1) item = t;
    Bag bag;
    bag.count = 0;
    for (uint i = 0; i < 4; ++i) {
        bag.items[(i + t) & 3] = i == 2 ? item : i;
        ++bag.count;
    }
    Out[t] = bag.items[(2 + t) & 3] + bag.count;
}

//--- san-through-groupshared-memory
//# args -Wno-uninitialized
//# widths 4 32
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint before;
    for (uint i = 0; i < 2; ++i) before = i;
    tile[t] = before;
    GroupMemoryBarrierWithGroupSync();
    uint x; //? uninitialized-value: `x` is used before it is given a value
    if (t & 1) x = t;
    tile[t] += x;
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[t ^ 1];
}

//--- an-output-without-a-value
//# draw 2x1
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float4 color;
    color.xyz = 1;
    if (v.position.x < 1) color.w = 1; //? uninitialized-value: a part of `color`
    return color;
}

//--- an-output-without-a-value-where-it-is-discarded
//# draw 2x1
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    float4 color;
    color.xyz = 1;
    if (v.position.x < 1) color.w = 1;
    else discard;
    return color;
}
//= Target f32: 1*4 0*4

//--- a-pixel-is-told-of-what-it-is-made-of-alone
// The path on which `ambient` has no value is nearer, but no pixel takes it.
//# draw 4x1
#include "pixel/fullscreen.hlsli"
static const float table[4] = { 1, 2, 3, 4 };
float4 ps(V v) : SV_Target {
    float ambient;
    if (v.position.x > 0) ambient = 1;
    float color = table[uint(v.position.x) + 2]; //? out-of-bounds: `table` is read beyond its end
    color = (color * 2 + 1) * (color + 3) + 7;
    return ambient + color;
}

//--- san-an-atomic-operation-stores-a-missing-value
//# zero Out 512
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x; //? uninitialized-value: `x` is used before it is given a value
    if (t > 0) x = t;
    if (t == 0) cell = 0;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) InterlockedAdd(cell, x);
    GroupMemoryBarrierWithGroupSync();
    Out[t] = cell;
}

//--- san-an-atomic-operation-keeps-a-missing-value
//# zero Out 512
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) InterlockedAdd(cell, 1); //? uninitialized-value: `cell` is changed before it is written
    GroupMemoryBarrierWithGroupSync();
    Out[t] = cell;
}

//--- san-a-wave-operation-without-a-value
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x; //? uninitialized-value: given to this operation
    if (t & 1) x = t;
    Out[t] = WaveActiveSum(x);
}

//--- san-a-counter-of-the-group-that-nothing-clears
//# zero Out 256
//# zero Size 4
RWStructuredBuffer<uint> Out;
RWStructuredBuffer<uint> Size;
groupshared uint count;
groupshared uint list[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t & 1) {
        uint at;
        InterlockedAdd(count, 1, at); //? uninitialized-value: `count` is changed before it is given a value
        list[at] = t;
    }
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) Size[0] = count;
}

//--- san-threads-return-before-they-store
//# groups 2 1 1
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint s[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex, uint i : SV_DispatchThreadID) {
    if (i >= 100) return;
    s[t] = i;
    GroupMemoryBarrierWithGroupSync();
    Out[i] = s[63 - t]; //? uninitialized-value: returned here, before the store
}

//--- san-a-member-of-a-struct-that-is-stored-as-a-whole
//# zero Out 512
struct Hit { float distance; uint primitive; float2 uv; };
RWStructuredBuffer<Hit> Out;
Hit missed() {
    Hit hit; //? uninitialized-value: as `uv`
    hit.distance = 1e30;
    hit.primitive = ~0u;
    return hit;
}
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Hit hit = missed();
    if (t & 1) {
        hit.distance = t;
        hit.primitive = t;
        hit.uv = float2(0, 1);
    }
    Out[t] = hit;
}

//--- san-all-members-of-a-struct-that-is-stored-as-a-whole
//# zero Out 512
struct Hit { float distance; uint primitive; float2 uv; };
RWStructuredBuffer<Hit> Out;
Hit missed() {
    Hit hit = (Hit)0;
    hit.distance = 1e30;
    return hit;
}
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Hit hit = missed();
    if (t & 1) hit.uv = float2(0, 1);
    Out[t] = hit;
}
//= Out u32: 0x7149f2ca 0 0 0 0x7149f2ca 0 0 0x3f800000

//--- san-the-tail-of-a-tile-without-a-value
//# zero Out 512
//# in In u32: 0..100
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 100) tile[t] = In[t]; //? uninitialized-value: skips the store to element 100
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[(t + 1) % 128];
}

//--- san-the-tail-of-a-tile-is-zero
//# zero Out 512
//# in In u32: 0..100
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t < 100 ? In[t] : 0;
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[(t + 1) % 128];
}
//= Out u32: 1 2 3 4

//--- san-an-element-of-a-local-array-that-some-lanes-skip
//# widths 4 32
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint few[3];
    few[0] = t;
    few[1] = 1;
    if (t & 1) few[2] = 5; //? uninitialized-value: lane 0 skips the store to element 2 here
    Out[t] = few[t % 2] + few[2];
}

//--- san-an-element-that-no-lane-would-set
// The threads that skip the store would set others.
//# widths 4 32
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t & 1) tile[t / 2] = t;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) Out[t] = tile[64]; //? uninitialized-value: lane 0 reads element 64
}

//--- san-several-pieces-that-some-lanes-skip
//# widths 4 32
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint3 all;
    all.x = t;
    if (t & 1) { //? uninitialized-value: lanes 0
        all.y = t + 2;
        all.z = t + 3;
    }
    Out[t] = all.x + all.y + all.z;
}

//--- san-a-reduction-of-a-tile-that-is-never-set
// That lanes skip the store of a round is right.
//# widths 4 32
//# zero Out 4
groupshared uint tile[WIDTH];
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint half = WIDTH / 2; half > 0; half /= 2) {
        if (t < half) tile[t] = t + tile[t + half]; //? uninitialized-value: read it here
        GroupMemoryBarrierWithGroupSync();
    }
    if (t == 0) Out[0] = tile[0];
}
