// Results that differ from one order of waves and groups to another.

//--- san-who-comes-first-takes-it-all
//# zero Out 4
//# groups 4 1 1
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    uint before;
    if (t == 0) InterlockedCompareExchange(Out[0], 0, g + 1, before); //? order-dependent-result: `Out` depends on the order in which waves and groups run
}

//--- san-the-largest-takes-it-all
//# zero Out 4
//# groups 4 1 1
//= Out u32: 4
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) InterlockedMax(Out[0], g + 1);
}

//--- san-the-group-index-is-taken-for-the-lane
//# zero Out 256
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint t : SV_GroupIndex) {
    // Right only where lanes follow the group index, which nothing promises in two dimensions.
    Out[t] = WaveReadLaneAt(t, (t + 1) % 4); //? order-dependent-result: `Out` depends on the order in which threads are assigned to lanes
}

//--- san-the-lane-is-asked-for
//# zero Out 4
//= Out u32: 2016
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint t : SV_GroupIndex) {
    uint neighbour = WaveReadLaneAt(t, WaveGetLaneIndex() ^ 1);
    uint sum = WaveActiveSum(neighbour);
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], sum);
}

//--- san-a-row-of-threads-in-any-order
//# san --thorough
//# widths 16
//# zero Out 64
RWStructuredBuffer<uint> Out;
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WavePrefixSum(t); //? order-dependent-result: the order in which threads are assigned to lanes
}

//--- san-a-sum-that-cancels
//# in In f32: 1e8 3 -1e8 3
//# widths 4
//# zero Out 4
StructuredBuffer<float> In;
RWStructuredBuffer<float> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float sum = WaveActiveSum(In[t]); //? order-dependent-result: `Out` depends on the order in which a wave sums floats
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-whose-last-bits-alone-differ
//# in In f32: 0.1 0.2 0.3 0.7
//= Out f32: 1.3
//# zero Out 4
//# widths 4
StructuredBuffer<float> In;
RWStructuredBuffer<float> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float sum = WaveActiveSum(In[t]);
    if (t == 0) Out[0] = sum;
}

//--- san-last-bits-of-each-component-of-a-vector
// Adding half an ulp to 1 has no effect; adding the sum of two does.
//# in In f32: 1 5.9e-8 5.9e-8 5.9e-8
//= Out f32: 1.0000001 2.0000002 0.25000003
//# zero Out 12
//# widths 4
StructuredBuffer<float> In;
RWStructuredBuffer<float3> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float sum = WaveActiveSum(In[t]);
    if (t == 0) Out[0] = float3(sum, 2 * sum, sum / 4);
}

//--- san-a-branch-on-the-last-bits-of-a-sum
//# in In f32: 1e8 3 -1e8 3
//# zero Out 4
//# widths 4
StructuredBuffer<float> In;
RWStructuredBuffer<float> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float x = 1;
    if (WaveActiveSum(In[t]) < 1) x = 1; //? order-dependent-result: the path that lanes take depends on
    if (t == 0) Out[0] = x;
}

//--- pixels-take-tickets
// Which of two triangles comes first at a pixel is settled for targets only.
//# draw 1x1 vertices 6
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Src: One, Dst: Zero, Op: Max, OpAlpha: Max }
//# zero Tickets 4
//# widths 4
RWStructuredBuffer<uint> Tickets : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.id = id / 3;
    return v;
}
float4 ps(V v) : SV_Target {
    uint ticket;
    InterlockedAdd(Tickets[0], 1, ticket);
    return ticket * 10 + v.id; //? order-dependent-result: the order in which the waves of a draw run
}

//--- pixels-take-tickets-in-the-order-of-primitives
//# draw 1x1 vertices 6
//# raster DepthStencil: { Func: Always }
//# raster Blend: { Src: One, Dst: Zero, Op: Max, OpAlpha: Max }
//# zero Tickets 4
//# widths 4
RasterizerOrderedStructuredBuffer<uint> Tickets : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.id = id / 3;
    return v;
}
float4 ps(V v) : SV_Target {
    uint ticket = Tickets[0];
    Tickets[0] = ticket + 1;
    return ticket * 10 + v.id;
}
//= Target f32: 11*4

//--- san-groups-that-meet-count-each-other
// Groups that run one after the other, in any order, never meet; those of a random order do.
//# groups 4 1 1
//# zero Here 4
//# zero Most 4
RWStructuredBuffer<uint> Here, Most;
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint here = 0, before;
    if (t == 0) InterlockedAdd(Here[0], 1, here); //? order-dependent-result: which of them comes first is not specified
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) InterlockedMax(Most[0], here + 1);
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) InterlockedAdd(Here[0], -1, before);
}

//--- pixels-take-tickets-from-a-texel
//# draw 4x4
//# texture Tickets R32_UINT 1x1
//# widths 4
RWTexture2D<uint> Tickets : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    uint ticket;
    InterlockedAdd(Tickets[uint2(0, 0)], 1, ticket); //? order-dependent-result: pixel (0, 0) of primitive 0 gets 0 (waves=ascending)
    return ticket;
}

//--- pixels-take-tickets-from-a-counter
//# draw 4x4
//# zero Tickets 4
//# widths 4
RWStructuredBuffer<uint> Tickets : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    return Tickets.IncrementCounter(); //? order-dependent-result: pixel (0, 0) of primitive 0 gets 0 (waves=ascending)
}

// The sum of a wave differs, and rightly so; that its place is computed from a thread's index does not.

//--- san-waves-numbered-by-their-threads
//# in In u32: 0..64
//# zero Out 4
//# widths 4 8 16 32 64
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[16];
[numthreads(8, 8, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 16) sums[t] = 0;
    GroupMemoryBarrierWithGroupSync();
    uint sum = WaveActiveSum(In[t]);
    uint wave = t / WaveGetLaneCount(); //? order-dependent-result: this assumes that threads are in lanes in the order of their indices
    if (WaveIsFirstLane()) sums[wave] = sum;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        uint all = 0;
        for (uint k = 0; k < 16; ++k) all += sums[k];
        Out[0] = all;
    }
}

//--- san-waves-numbered-by-a-counter
//# in In u32: 0..64
//# zero Out 4
//= Out u32: 2016
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[16], waves;
[numthreads(8, 8, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 16) sums[t] = 0;
    if (t == 0) waves = 0;
    GroupMemoryBarrierWithGroupSync();
    uint sum = WaveActiveSum(In[t]);
    if (WaveIsFirstLane()) {
        uint wave;
        InterlockedAdd(waves, 1, wave);
        sums[wave] = sum;
    }
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        uint all = 0;
        for (uint k = 0; k < 16; ++k) all += sums[k];
        Out[0] = all;
    }
}

// Groups are matched by their tickets. Several results follow from the one flag that is read once.

//--- san-a-look-back-that-does-not-wait
//# groups 8 1 1
//# in In u32: 0..512
//# zero Flag 32
//# zero Sum 32
//# zero Ticket 4
//# zero Out 2048
globallycoherent RWStructuredBuffer<uint> Flag, Sum;
RWStructuredBuffer<uint> Ticket;
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint ticket, before, total;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        InterlockedAdd(Ticket[0], 1, ticket);
        total = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    uint g = ticket;
    uint s = WaveActiveSum(In[g * 64 + t]);
    if (WaveIsFirstLane()) InterlockedAdd(total, s);
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        uint old, seen = 0, prev = 0;
        if (g > 0) {
            InterlockedOr(Flag[g - 1], 0, seen); //? order-dependent-result: help: wait until the value is there
            if (seen == 1) prev = Sum[g - 1];
        }
        Sum[g] = prev + total;
        DeviceMemoryBarrier();
        InterlockedExchange(Flag[g], 1, old);
        before = prev;
    }
    GroupMemoryBarrierWithGroupSync();
    Out[g * 64 + t] = before;
}
