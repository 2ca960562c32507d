// Amplification shaders: payloads, and the order of children.

//--- children-receive-the-payload-of-their-group
//# draw 4x1 amplified 2,1,1
struct Payload { uint first; float shades[2]; };
groupshared Payload payload;
struct V { float4 position : SV_Position; nointerpolation float shade : SHADE; };
[numthreads(4, 1, 1)]
void amp(uint i : SV_GroupIndex, uint group : SV_GroupID) {
    if (i < 2) payload.shades[i] = 10 * group + i;
    if (i == 0) payload.first = 2 * group;
    DispatchMesh(2, 1, 1, payload);
}
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, uint child : SV_GroupID, in payload Payload p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    uint x = p.first + child;
    verts[i].position = float4(-1 + 0.5 * x + (i == 1 ? 1 : 0), i == 2 ? -3 : 1, 0.9 - 0.1 * x, 1);
    verts[i].shade = p.shades[child];
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return v.shade; }
//= Target f32: 0*4 1*4 10*4 11*4

//--- a-group-of-no-children-draws-nothing
//# draw 1x1 amplified 4,1,1
struct Payload { uint group; };
groupshared Payload payload;
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
[numthreads(1, 1, 1)]
void amp(uint group : SV_GroupID) {
    payload.group = group;
    DispatchMesh(group == 2 ? 1 : 0, 1, 1, payload);
}
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, in payload Payload p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    verts[i].id = p.group;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return v.id; }
//= Target f32: 2*4

//--- lanes-compact-the-children-of-their-group
// The classic: the lanes of surviving meshlets write their numbers to the payload, without holes.
//# draw 8x1 amplified 1,1,1
struct Payload { uint meshlets[32]; };
groupshared Payload payload;
groupshared uint count;
struct V { float4 position : SV_Position; nointerpolation uint id : ID; };
[numthreads(32, 1, 1)]
void amp(uint i : SV_GroupIndex) {
    if (i == 0) count = 0;
    GroupMemoryBarrierWithGroupSync();
    bool survives = i % 4 == 1;
    uint before = WavePrefixCountBits(survives);
    uint first = 0;
    uint own = WaveActiveCountBits(survives);
    if (WaveIsFirstLane()) InterlockedAdd(count, own, first);
    first = WaveReadLaneFirst(first);
    if (survives) payload.meshlets[first + before] = i;
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(count, 1, 1, payload);
}
[numthreads(3, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, uint child : SV_GroupID, in payload Payload p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(3, 1);
    uint meshlet = p.meshlets[child];
    uint x = meshlet / 4;
    verts[i].position = float4(-1 + 0.25 * x + (i == 1 ? 0.5 : 0), i == 2 ? -3 : 1, 0.9 - 0.1 * x, 1);
    verts[i].id = meshlet;
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return float4(v.id, 0, 0, 0); }
//= Target f32: 1 0 0 0 5 0 0 0 9 0 0 0 13 0 0 0 17 0 0 0 21 0 0 0 25 0 0 0 29 0 0 0

//--- children-are-ascending-x-fastest
// Children of one group come before those of the next one; the buffer counts what ran before.
//# draw 1x1 amplified 2,1,1
//# finds permuted-result
//# zero Out 72
RWStructuredBuffer<uint> Out : register(u0);
struct Payload { uint group; };
groupshared Payload payload;
struct V { float4 position : SV_Position; };
[numthreads(1, 1, 1)]
void amp(uint group : SV_GroupID) {
    payload.group = group;
    DispatchMesh(1 + group, 2, 2, payload);
}
[numthreads(1, 1, 1)] [outputtopology("triangle")]
void ms(uint3 child : SV_GroupID, in payload Payload p, out vertices V verts[3], out indices uint3 tris[1]) {
    SetMeshOutputCounts(0, 0);
    uint at;
    InterlockedAdd(Out[0], 1, at);
    Out[1 + at] = p.group * 1000 + child.x * 100 + child.y * 10 + child.z;
}
float4 ps(V v) : SV_Target { return 1; }
//= Out u32: 12 0 10 1 11 1000 1100 1010 1110 1001 1101 1011 1111

//--- lanes-leave-a-loop-one-after-the-other
// A driver never ended such loops of mesh and amplification shaders whose groups have several waves.
//# draw 1x1 amplified 1,1,1
struct Payload { uint sum; };
struct V { float4 position : SV_Position; };
groupshared Payload payload;
groupshared uint total;
uint counted(uint i) {
    uint count = 0;
    for (uint turn = 0; turn < (i & 3); ++turn) count += WaveActiveCountBits(true);
    for (uint other = 0;; ++other) {
        if (WaveReadLaneFirst(i & 3) == (i & 3)) break;
        count += other;
    }
    return count;
}
[numthreads(128, 1, 1)]
void amp(uint i : SV_GroupIndex) {
    if (i == 0) payload.sum = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(payload.sum, counted(i));
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(1, 1, 1, payload);
}
[numthreads(128, 1, 1)] [outputtopology("triangle")]
void ms(uint i : SV_GroupIndex, in payload Payload received, out vertices V verts[3], out indices uint3 tris[1]) {
    if (i == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(total, counted(i));
    GroupMemoryBarrierWithGroupSync();
    // Of every four lanes, three count in the first turn, two in the second, and one in the third; then the four leave after
    // 0 to 3 turns. A turn of a wave of W lanes counts W times 3/4, 1/2 or 1/4.
    uint lanes = WaveGetLaneCount(), waves = 128 / lanes;
    EXPECT_EQ(total, waves * (lanes * lanes * (9 + 4 + 1) / 16 + lanes / 4 * (0 + 0 + 1 + 3)));
    EXPECT_EQ(received.sum, total);
    SetMeshOutputCounts(3, 1);
    if (i < 3) verts[i].position = float4(i == 1 ? 3 : -1, i == 2 ? -3 : 1, 0.5, 1);
    if (i == 0) tris[0] = uint3(0, 1, 2);
}
float4 ps(V v) : SV_Target { return 1; }
//= Target f32: 1*4
