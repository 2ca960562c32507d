// Buffers of every kind, and accesses out of range.

//--- structured-buffers-out-of-bounds
//# finds buffer-out-of-bounds
//# in In u32: 5 6 7
//# zero Out 16
//= Out u32: 1 1 1 0
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[t % 4], t % 4 == 3 ? 0 : 5 + t % 4);
    EXPECT_EQ(In[0xffffffff], 0);
    EXPECT_EQ(In[0x40000000], 0);
    // Only three of these are in range; the others must have no effect.
    if (t < 3) Out[t] = 1;
    Out[4 + t] = 1;
    Out[0xffffffff - t] = 1;
    uint before = 9;
    InterlockedAdd(Out[1000], 1, before);
    EXPECT_EQ(before, 0);
}

//--- words-of-neighbours-may-overlap
//# finds misaligned-address
//# in In u32: 0x03020100 0x07060504 0x0b0a0908 0x0f0e0d0c 0x13121110 0x17161514 0x1b1a1918 0x1f1e1d1c
ByteAddressBuffer In;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint first = t | t + 1 << 8 | t + 2 << 16 | t + 3 << 24;
    EXPECT_EQ(In.Load(t), first);
    EXPECT_EQ(In.Load2(t).y, first + 0x04040404);
}

//--- raw-buffers-are-addressed-by-byte
//# finds buffer-out-of-bounds
//# in In u32: 0x03020100 0x07060504 0x0b0a0908
//# zero Out 32
//= Out u32: 0x03020100 0x07060504 0x0b0a0908 0 7 8 9 10
ByteAddressBuffer In;
RWByteAddressBuffer Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In.Load(4), 0x07060504);
    EXPECT_EQ(In.Load3(0), uint3(0x03020100, 0x07060504, 0x0b0a0908));
    EXPECT_EQ(In.Load2(8), uint2(0x0b0a0908, 0));
    EXPECT_EQ(In.Load(12), 0);
    EXPECT_EQ(In.Load(0xfffffffc), 0);
    if (t == 0) {
        Out.Store3(0, In.Load3(0));
        Out.Store4(16, uint4(7, 8, 9, 10));
        Out.Store(0xfffffffc, 99);
        Out.Store2(28, uint2(10, 99));
    }
}

//--- structures-in-buffers-have-no-padding-but-alignment
//# in In u32: 1 2 3 4 5 6 7 8 9 10
//# zero Out 40
//= Out u32: 11 12 13 4 15 6 7 8 9 20
struct Item { uint3 a; uint b; float c; };
StructuredBuffer<Item> In;
RWStructuredBuffer<Item> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[1].a, uint3(6, 7, 8));
    EXPECT_EQ(In[1].b, 9);
    EXPECT_EQ(asuint(In[0].c), 5);
    if (t == 0) {
        Out[0] = In[0];
        Out[0].a += 10;
        Out[0].c = asfloat(asuint(In[0].c) + 10);
        Out[1] = In[1];
        Out[1].c = asfloat(20);
    }
}

//--- typed-buffers-hold-vectors
//# finds buffer-out-of-bounds
//# in In f32: 1 2 3 4 5 6 7 8
//# zero Out 16
//= Out i32: -1 -2 3 4
Buffer<float4> In;
RWBuffer<int2> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[1], float4(5, 6, 7, 8));
    EXPECT_EQ(In.Load(0).yx, float2(2, 1));
    EXPECT_EQ(In[2], float4(0, 0, 0, 0));
    if (t < 2) Out[t] = t == 0 ? int2(-1, -2) : int2(3, 4);
    Out[2 + t] = int2(9, 9);
}

//--- constant-buffers-pack-into-rows
//# in Block u32: 1 2 3 4 5 6 0 0 7 0 0 0 8 0 0 0 9 10 11 12
cbuffer Block {
    uint3 a;
    uint b;
    uint2 c;
    uint d[3];
    uint e;
    uint2 f;
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(a, uint3(1, 2, 3));
    EXPECT_EQ(b, 4);
    EXPECT_EQ(c, uint2(5, 6));
    EXPECT_EQ(d[0], 7);
    EXPECT_EQ(d[t % 3], t % 3 == 0 ? 7 : t % 3 == 1 ? 8 : 9);
    EXPECT_EQ(e, 10);
    EXPECT_EQ(f, uint2(11, 12));
}

//--- texture-buffers-have-the-layout-of-constant-buffers
//# in Old u32: 1 2 3 4 7 0 0 0 8 0 0 0 9
//# in Table u32: 20 0x3f800000 0 0 5 6 7
//# in Many[0] u32: 100 0 0 0 1 2 3
//# in Many[1] u32: 200 0x40000000 0 0 4 5 6
struct S { uint n; float x; uint3 v; };
tbuffer Old : register(t4) {
    uint3 a;
    uint b;
    uint d[3];
};
TextureBuffer<S> Table : register(t3);
TextureBuffer<S> Many[2] : register(t6);
template<typename T> T whole(TextureBuffer<T> from) { return from; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(a, uint3(1, 2, 3));
    EXPECT_EQ(b, 4);
    EXPECT_EQ(d[t % 3], 7 + t % 3);
    S s = Table;
    EXPECT_EQ(s.n, 20);
    EXPECT_EQ(Table.x, 1);
    EXPECT_EQ(whole(Table).v, uint3(5, 6, 7));
    uint i = t & 1;
    EXPECT_EQ(Many[NonUniformResourceIndex(i)].n, i ? 200 : 100);
    EXPECT_EQ(Many[NonUniformResourceIndex(i)].x, i ? 2.0 : 0.0);
    EXPECT_EQ(Many[1].v, uint3(4, 5, 6));
}

//--- loose-globals-make-a-constant-buffer
//# in $Globals u32: 3 0 0 0 4 5 6 7
uint Count;
uint4 Values;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Count, 3);
    EXPECT_EQ(Values, uint4(4, 5, 6, 7));
}

//--- sizes-of-buffers
//# in A u32: 1 2 3
//# zero B 28
//# zero C 24
StructuredBuffer<uint> A;
ByteAddressBuffer B;
RWStructuredBuffer<uint2> C;
[numthreads(WIDTH, 1, 1)]
void main() {
    uint n, stride;
    A.GetDimensions(n, stride);
    EXPECT_EQ(uint2(n, stride), uint2(3, 4));
    B.GetDimensions(n);
    EXPECT_EQ(n, 28);
    C.GetDimensions(n, stride);
    EXPECT_EQ(uint2(n, stride), uint2(3, 8));
}

//--- a-short-member-leaves-its-neighbour-alone
//# args -enable-16bit-types -T cs_6_2
//# zero Out 512
struct Pair { uint16_t low, high; };
RWStructuredBuffer<Pair> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t].high = (uint16_t)(t + 7);
    Out[t].low = (uint16_t)(t + 3);
    EXPECT_EQ(Out[t].low, (uint16_t)(t + 3));
    EXPECT_EQ(Out[t].high, (uint16_t)(t + 7));
}

//--- lanes-choose-among-buffers-of-different-sizes
//# in Sizes[0] u32: 1 2 3 4 5
//# in Sizes[1] u32: 6 7 8
StructuredBuffer<uint> Sizes[2];
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint chosen = NonUniformResourceIndex(lane & 1), count, stride;
    Sizes[chosen].GetDimensions(count, stride);
    EXPECT_EQ(count, chosen == 0 ? 5 : 3);
    EXPECT_EQ(Sizes[chosen][2], chosen == 0 ? 3 : 8);
}

//--- two-names-of-one-buffer-are-one-memory
//# alias Bytes Words
//# zero Words 512
RWStructuredBuffer<uint> Words;
RWByteAddressBuffer Bytes;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint other = WIDTH - 1 - t;
    Words[t] = 3 * t;
    DeviceMemoryBarrierWithGroupSync();
    uint read = Bytes.Load(4 * other);
    DeviceMemoryBarrierWithGroupSync();
    Bytes.Store(4 * t, read + 1);
    DeviceMemoryBarrier();
    EXPECT_EQ(Words[t], 3 * other + 1);
    InterlockedAdd(Words[t], 5);
    DeviceMemoryBarrier();
    EXPECT_EQ(Bytes.Load(4 * t), 3 * other + 6);
}
