// Two unordered accesses to the same location.

//--- san-a-neighbour-is-read-without-a-barrier
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Out[t] = tile[127 - t];
}

//--- san-a-neighbour-is-read-after-a-barrier
//# zero Out 512
//= Out u32: 127 126 125
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t;
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[127 - t];
}

//--- san-a-round-begins-before-all-have-read
//# widths 4 32
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0; i < 4; ++i) {
        tile[t] = i + t;
        GroupMemoryBarrierWithGroupSync();
        sum += tile[127 - t]; //? race: put a second `GroupMemoryBarrierWithGroupSync()` at the end of the loop
    }
    Out[t] = sum;
}

//--- san-a-round-begins-behind-a-barrier-that-makes-no-thread-wait
//# widths 4 32
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0; i < 4; ++i) {
        tile[t] = i + t;
        GroupMemoryBarrierWithGroupSync();
        sum += tile[127 - t];
        GroupMemoryBarrier(); //? race: help: use `GroupMemoryBarrierWithGroupSync()` instead of this barrier
    }
    Out[t] = sum;
}

//--- san-a-round-ends-when-all-have-read
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0; i < 4; ++i) {
        tile[t] = i + t;
        GroupMemoryBarrierWithGroupSync();
        sum += tile[127 - t];
        GroupMemoryBarrierWithGroupSync();
    }
    Out[t] = sum;
}
//= Out u32: 514 510 506 502

//--- san-a-barrier-of-other-memory
//# widths 4 32
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t;
    DeviceMemoryBarrierWithGroupSync(); //? race: use `GroupMemoryBarrierWithGroupSync()` instead of the barrier between them
    Out[t] = tile[127 - t];
}

//--- san-all-threads-write-one-place
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[0] = t; //? race: race on `Out`
}

//--- san-one-arm-reads-what-the-other-arm-writes
//# widths 8
//# zero Out 512
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) cell = 5;
    uint x = 1;
    if (t & 1) {
        x = cell;
    } else if (t == 2) {
        cell = 7; //? race: race on `cell`
    }
    Out[t] = x;
}

//--- san-what-comes-after-both-arms
//# widths 8
//# zero Out 512
//= Out u32: 7 7 7 7 7 7 7 7
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 2) cell = 7;
    Out[t] = cell;
}

//--- san-lockstep-is-not-taken-for-granted
//# widths 8
//# san --intra-wave-sync=waveop
//# zero Out 512
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 2) cell = 7;
    Out[t] = cell; //? race: race on `cell`
}

//--- san-two-views-of-one-place-in-the-heap
//# args -T cs_6_6
//# zero ResourceDescriptorHeap[1] 512
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RWByteAddressBuffer bytes = ResourceDescriptorHeap[1];
    RWStructuredBuffer<uint> words = ResourceDescriptorHeap[1];
    bytes.Store(4 * t, t); //? race: race on
    if (t == 0) words[127] = 5;
}

//--- san-words-in-a-heap-are-not-pairs-although-it-was-first-seen-so
//# args -T cs_6_6
//# widths 4..64
//# zero ResourceDescriptorHeap[1] 1024
//# zero Out 512
//= Out u32: 0..128
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    RWBuffer<uint2> pairs = ResourceDescriptorHeap[1];
    RWBuffer<uint> words = ResourceDescriptorHeap[1];
    if (t == 0) pairs[100] = uint2(1, 2);
    // Different waves write the two words of a pair.
    words[t < 64 ? 2 * t : 2 * t - 127] = t;
    Out[t] = t;
}

//--- san-texels-are-places-too
//# widths 4
//# texture Image R32_UINT 4x1
RWTexture2D<uint> Image;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Image[uint2(t & 3, 0)] = t;
    if (t == 0) Image[uint2(1, 0)] = Image[uint2(2, 0)];
    Image[uint2(0, 0)] = t; //? race: race on `Image`
}

//--- san-races-name-the-texel
//# widths 4
//# texture Image R32_UINT 8x4
RWTexture2D<uint> Image;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Image[uint2(5 + t / 2, 3)] = t; //? race: lane 1 writes texel (5, 3) here
}

//--- san-a-texel-for-each-thread
//= Image u32: 1 2 3 4
//# texture Image R32_UINT 128x1
RWTexture2D<uint> Image;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Image[uint2(t, 0)] = t;
    AllMemoryBarrierWithGroupSync();
    Image[uint2(t ^ 127, 0)] += 1;
}

//--- two-triangles-store-for-one-pixel
//# draw 1x1 vertices 6
//# raster DepthStencil: { Func: Always }
//# zero Last 4
RWStructuredBuffer<uint> Last : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.id = id / 3;
    return v;
}
float4 ps(V v) : SV_Target {
    Last[0] = v.id; //? race
    return 1;
}

//--- two-triangles-store-in-their-order
//# draw 1x1 vertices 6
//# raster DepthStencil: { Func: Always }
//# zero Last 4
RasterizerOrderedStructuredBuffer<uint> Last : register(u0);
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
V vs(uint id : SV_VertexID) {
    V v;
    v.position = float4(id % 3 == 1 ? 3 : -1, id % 3 == 2 ? -3 : 1, 0, 1);
    v.id = id / 3;
    return v;
}
float4 ps(V v) : SV_Target {
    Last[0] = v.id;
    return 1;
}
//= Last u32: 1

//--- san-groups-that-end-while-others-run-leave-these-alone
// In random orders, which `--thorough` observes, groups take turns, and nothing happens between the last barrier of a
// group and its end.
//# san --thorough
//# args -Wno-narrow-lane-mask
//# groups 8 1 1
//# zero Out 8192
RWStructuredBuffer<uint> Out;
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    Out[256 * g + t] = t;
    AllMemoryBarrierWithGroupSync();
    uint other = Out[256 * g + (t ^ 255)];
    AllMemoryBarrierWithGroupSync();
    Out[256 * g + t] = other;
    AllMemoryBarrierWithGroupSync();
}
//= Out u32: 255 254 253

//--- san-a-barrier-of-the-wave-orders-its-lanes
//# args --dialect slang
//# widths 8
//# san --intra-wave-sync=waveop
//# zero Out 512
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 2) cell = 7;
    GroupMemoryBarrierWithWaveSync();
    Out[t] = cell;
}
//= Out u32: 7*8

//--- san-a-barrier-of-memory-alone-orders-no-lanes
//# widths 8
//# san --intra-wave-sync=waveop
//# zero Out 512
groupshared uint cell;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 2) cell = 7;
    GroupMemoryBarrier(); //? race: race on `cell`
    Out[t] = cell;
}

//--- san-a-ray-from-a-racing-value
// What a ray finds depends on a value that races: the rest of the results is compared, and this is not.
//# args -T cs_6_5
//# scene Scene: triangles(0 1 0, -1 -1 0, 1 -1 0)
//# zero Out 256
//# widths 4..32
RaytracingAccelerationStructure Scene;
RWStructuredBuffer<uint> Out;
groupshared float at[32];
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    at[t] = 0;
    GroupMemoryBarrierWithGroupSync();
    at[t] = 100; //? race: wave
    float x = at[31 - t];
    RayDesc ray = { float3(x, 0, 1), 0, float3(0, 0, -1), 100 };
    RayQuery<RAY_FLAG_FORCE_OPAQUE> q;
    q.TraceRayInline(Scene, RAY_FLAG_NONE, 0xff, ray);
    q.Proceed();
    Out[t] = q.CommittedStatus();
    Out[32 + t] = t;
}

//--- san-race-of-one-round-with-the-next
// A sorting network of which each step has to wait for the last. All races follow from one missing barrier.
//# zero Keys 1024
RWStructuredBuffer<uint> Keys;
groupshared uint s[256];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    s[t] = Keys[t] + 255 - t;
    GroupMemoryBarrierWithGroupSync();
    for (uint k = 2; k <= 256; k <<= 1) {
        for (uint j = k >> 1; j > 0; j >>= 1) {
            uint other = t ^ j;
            if (other > t) {
                uint a = s[t], b = s[other]; //? race: help: put `GroupMemoryBarrierWithGroupSync()` at the end of the loop, so that
                if ((a > b) == ((t & k) == 0)) { s[t] = b; s[other] = a; }
            }
        }
        GroupMemoryBarrierWithGroupSync();
    }
    Keys[t] = s[t];
}

//--- san-race-of-sums-without-atomic-operations
//# zero Sum 4
RWStructuredBuffer<uint> Sum;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Sum[0] += t; //? race: help: change `Sum` by one atomic operation, such as `InterlockedAdd`
}

//--- san-race-of-a-scan-that-reads-while-others-write
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint s[128];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    s[t] = t;
    for (uint d = 1; d < 128; d <<= 1) {
        GroupMemoryBarrierWithGroupSync();
        if (t >= d) s[t] += s[t - d]; //? race: help: read into a variable first, and put `GroupMemoryBarrierWithGroupSync()` between the read and the store
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = s[t];
}

//--- san-race-of-a-filter-in-place
//# groups 2 1 1
//# zero Row 512
RWStructuredBuffer<uint> Row;
[numthreads(64, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    uint sum = Row[i] + Row[i ^ 64]; //? race: help: store to a buffer or texture other than `Row`
    AllMemoryBarrierWithGroupSync();
    Row[i] = sum;
}

//--- san-race-in-the-tail-of-a-reduction
// The last steps count on waves of 32 lanes, and a barrier does not fit where they stand.
//# zero Out 4
RWStructuredBuffer<uint> Out;
groupshared uint s[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    s[t] = t;
    GroupMemoryBarrierWithGroupSync();
    if (t < 32) {
        s[t] += s[t + 32]; //? race: end the branch around both accesses before it
        s[t] += s[t + 16];
        s[t] += s[t + 8];
        s[t] += s[t + 4];
        s[t] += s[t + 2];
        s[t] += s[t + 1];
    }
    if (t == 0) Out[0] = s[0];
}

//--- san-race-in-the-tail-of-a-reduction-with-memory-barriers
// A barrier that makes threads wait does not fit where these stand, either.
//# zero Out 4
RWStructuredBuffer<uint> Out;
groupshared uint s[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    s[t] = t;
    GroupMemoryBarrierWithGroupSync();
    if (t < 32) {
        s[t] += s[t + 32];
        GroupMemoryBarrier(); //? race: end the branch around both accesses before it
        s[t] += s[t + 16];
        GroupMemoryBarrier();
        s[t] += s[t + 8];
        GroupMemoryBarrier();
        s[t] += s[t + 4];
        GroupMemoryBarrier();
        s[t] += s[t + 2];
        GroupMemoryBarrier();
        s[t] += s[t + 1];
    }
    if (t == 0) Out[0] = s[0];
}

//--- san-race-whichever-access-comes-first
// With narrow waves the second wave still clears; with wide ones it counts too early. It is one mistake.
//# zero Out 256
RWStructuredBuffer<uint> Out;
groupshared uint bins[64];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 64) bins[t] = 0; //? race: or make both of them atomic operations
    InterlockedAdd(bins[t * 7 & 63], 1);
    GroupMemoryBarrierWithGroupSync();
    if (t < 64) Out[t] = bins[t];
}

//--- san-race-where-a-condition-leaves-out-the-barrier
// The barrier would do, but the last rounds go without it, as waves of 32 lanes may.
//# zero Out 4
RWStructuredBuffer<uint> Out;
groupshared uint sums[256];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t] = t;
    GroupMemoryBarrierWithGroupSync();
    for (uint s = 128; s > 0; s >>= 1) {
        if (t < s) sums[t] += sums[t + s]; //? race: help: let all threads reach `GroupMemoryBarrierWithGroupSync()` in every iteration
        if (s > 32) GroupMemoryBarrierWithGroupSync();
    }
    if (t == 0) Out[0] = sums[0];
}

//--- san-race-of-a-hash-table-that-is-probed-by-plain-loads
//# zero Keys 512
//# zero Count 4
//# in In u32: 7*32 9*32 0..64
RWStructuredBuffer<uint> Keys;
RWStructuredBuffer<uint> Count;
StructuredBuffer<uint> In;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = In[t] + 1;
    uint slot = key * 2654435761u % 128;
    for (uint i = 0; i < 128; ++i) {
        if (Keys[slot] == key) return; //? race: help: read `Keys` by an atomic operation, too
        uint old;
        InterlockedCompareExchange(Keys[slot], 0, key, old);
        if (old == 0) InterlockedAdd(Count[0], 1);
        if (old == 0 || old == key) return;
        slot = (slot + 1) % 128;
    }
}

//--- san-race-of-a-hash-table-that-is-probed-by-atomic-operations
// Which key gets which slot depends on the order, what is in the table does not.
//# san --unordered=Keys
//# zero Keys 512
//# zero Count 4
//# in In u32: 7*32 9*32 0..64
//= Count u32: 64
RWStructuredBuffer<uint> Keys;
RWStructuredBuffer<uint> Count;
StructuredBuffer<uint> In;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = In[t] + 1;
    uint slot = key * 2654435761u % 128;
    for (uint i = 0; i < 128; ++i) {
        uint found;
        InterlockedOr(Keys[slot], 0, found);
        if (found == key) return;
        uint old;
        InterlockedCompareExchange(Keys[slot], 0, key, old);
        if (old == 0) InterlockedAdd(Count[0], 1);
        if (old == 0 || old == key) return;
        slot = (slot + 1) % 128;
    }
}

//--- san-a-tile-is-overwritten-before-all-have-read-it
// The barrier is between the two accesses, but they are in different iterations of the outer loop.
//# groups 2 2 1
//# in A f32: 1*256
//# in B f32: 2*256
//# zero C 1024
//# widths 8
StructuredBuffer<float> A, B;
RWStructuredBuffer<float> C;
groupshared float ta[8][8], tb[8][8];
[numthreads(8, 8, 1)]
void main(uint3 t : SV_GroupThreadID, uint3 d : SV_DispatchThreadID) {
    float acc = 0;
    for (uint k = 0; k < 16; k += 8) {
        ta[t.y][t.x] = A[d.y * 16 + k + t.x];
        tb[t.y][t.x] = B[(k + t.y) * 16 + d.x];
        GroupMemoryBarrierWithGroupSync();
        for (uint i = 0; i < 8; ++i) acc += ta[t.y][i] * tb[i][t.x]; //? race: help: put a second `GroupMemoryBarrierWithGroupSync()` at the end of the loop
    }
    C[d.y * 16 + d.x] = acc;
}

//--- san-rounds-whose-barrier-makes-no-thread-wait
//# in In u32: 0..64
//# zero Out 4
//# widths 8
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = In[t];
    GroupMemoryBarrierWithGroupSync();
    for (uint s = 32; s > 0; s >>= 1) {
        if (t < s) tile[t] += tile[t + s];
        GroupMemoryBarrier(); //? race: help: use `GroupMemoryBarrierWithGroupSync()` instead of that barrier
    }
    if (t == 0) Out[0] = tile[0];
}

// No group barrier can be called in a pixel shader.

//--- san-pixels-store-to-one-place
//# draw 4x4
//# zero Last 4
//# widths 4
RWStructuredBuffer<uint> Last : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    Last[0] = v.position.x; //? race: help: let each pixel write to its own place, use a rasterizer-ordered view
    return 1;
}

//--- san-pixels-race-for-a-texel
//# draw 4x4
//# texture Image R32_UINT 4x4
//# widths 4
RWTexture2D<uint> Image : register(u0);
#include "pixel/fullscreen.hlsli"
float4 ps(V v) : SV_Target {
    Image[uint2(1, 2)] = Image[uint2(1, 2)] + 1; //? race: texel (1, 2) here
    return 1;
}

// Threads that read another item leave the loop in another round: that they do not come to the barrier follows.

//--- san-the-next-item-is-taken-before-all-have-read-this-one
//# groups 3 1 1
//# zero Head 4
//# in In u32: 0..64
//# zero Out 256
//# widths 4 8 16
RWStructuredBuffer<uint> Head, Out;
StructuredBuffer<uint> In;
groupshared uint item;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (;;) {
        if (t == 0) InterlockedAdd(Head[0], 1, item);
        GroupMemoryBarrierWithGroupSync();
        uint k = item; //? race: and a barrier that not all threads reach, which follows from the same mistake
        if (k >= 64) break;
        if (t == 0) Out[k] = In[k] * 3;
    }
}

//--- san-a-group-reads-what-another-one-writes
// Each thread writes its own element.
//# widths 4
//# groups 4 1 1
//# zero Grid 128
//# zero Out 128
RWStructuredBuffer<uint> Grid, Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    uint self = g * 8 + t;
    Grid[self] = t;
    Out[self] = Grid[(self + 8) % 32]; //? race: (1) at that of a thread of another group
}

//--- san-a-group-writes-what-another-one-reads
// Each thread reads its own element.
//# widths 4
//# groups 4 1 1
//# zero Grid 128
//# zero Out 128
RWStructuredBuffer<uint> Grid, Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    uint self = g * 8 + t;
    Grid[(self + 8) % 32] = t; //? race: at that of a thread of another group
    Out[self] = Grid[self];
}
