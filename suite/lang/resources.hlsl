// Resources in the language: constant buffers, arrays of resources, resources in variables, raw and typed buffers.

//--- resources-packed-by-packoffset
//# in Block u32: 1 0 0 0 5 6 7 8 9
cbuffer Block : register(b2) {
    uint4 c : packoffset(c1);
    uint a : packoffset(c0);
    uint d : packoffset(c2.x);
};
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(a, 1);
    EXPECT_EQ(c, uint4(5, 6, 7, 8));
    EXPECT_EQ(d, 9);
}

//--- resources-packoffset-of-components
//# in Block u32: 1 2 3 4
cbuffer Block {
    uint2 high : packoffset(c0.z);
    uint x : packoffset(c0.x);
    uint y : packoffset(c0.y);
};
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(high, uint2(3, 4));
    EXPECT_EQ(uint2(x, y), uint2(1, 2));
}

//--- resources-structures-in-constant-buffers
//# in Block u32: 1 2 0 0 3 4 5 0 6 7 8 9 10 11 0 0 12
struct Inner { uint3 v; };
struct Item { uint2 a; Inner in0; };
cbuffer Block {
    Item first;
    Item second;
};
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(first.a, uint2(1, 2));
    EXPECT_EQ(first.in0.v, uint3(3, 4, 5));
    EXPECT_EQ(second.a, uint2(6, 7));
    EXPECT_EQ(second.in0.v, uint3(10, 11, 0));
}

//--- resources-arrays-of-structures-in-constant-buffers
//# in Block u32: 10 11 0 0 20 21 0 0 30 31 32
struct Item { uint a; uint b; };
cbuffer Block {
    Item items[3];
    uint last;
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(items[t % 3].a, 10 * (t % 3 + 1));
    EXPECT_EQ(items[t % 3].b, 10 * (t % 3 + 1) + 1);
    Item item = items[2];
    EXPECT_EQ(item.b, 31);
    EXPECT_EQ(last, 32);
}

//--- resources-constant-buffers-of-a-type
//# in Params u32: 7 0 0 0 1 2 3 4 9
struct Settings { uint count; uint4 v; bool on; uint total() { return count + v.x + v.w; } };
ConstantBuffer<Settings> Params : register(b0, space1);
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Params.count, 7);
    EXPECT_EQ(Params.v[t % 4], t % 4 + 1);
    EXPECT_EQ(Params.on, true);
    Settings s = Params;
    EXPECT_EQ(s.total(), 12);
}

//--- resources-loose-globals-of-every-kind
//# in $Globals u32: 1 0 0 0 2 0 0 0 3 4 5 6
uint Count;
uint Table[2];
uint3 Where;
static uint own = 8;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Count, 1);
    EXPECT_EQ(Table[t & 1], 2 + (t & 1));
    EXPECT_EQ(Where, uint3(4, 5, 6));
    own += Count;
    EXPECT_EQ(own, 9);
}

//--- resources-go-through-parameters-and-locals
//# finds equal-stores
//# in A u32: 1 2 3 4
//# in B u32: 5 6 7 8
//# zero C 16
//= C u32: 6 8 10 12
StructuredBuffer<uint> A, B;
RWStructuredBuffer<uint> C;
uint at(StructuredBuffer<uint> from, uint i) { return from[i]; }
void put(RWStructuredBuffer<uint> to, uint i, uint x) { to[i] = x; }
struct Both { StructuredBuffer<uint> a; StructuredBuffer<uint> b; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    StructuredBuffer<uint> local = A;
    Both both;
    both.a = local;
    both.b = B;
    uint i = t % 4;
    EXPECT_EQ(at(local, i), i + 1);
    EXPECT_EQ(both.b[i], i + 5);
    put(C, i, at(both.a, i) + both.b[i]);
}

//--- resources-in-local-arrays-that-loops-fill
//# in A u32: 1 2 3 4
//# in B u32: 10 20 30 40
//# in C u32: 100 200 300 400
// Once the loop is unrolled, the resource of each element is known at compile time, as devices require.
StructuredBuffer<uint> A, B, C;
uint sum(StructuredBuffer<uint> from[2][3], uint i) {
    uint all = 0;
    for (uint row = 0; row < 2; ++row)
        for (uint column = 0; column < 3; ++column) all += from[row][column][i] * (row + 1);
    return all;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint i = t % 4;
    StructuredBuffer<uint> held[2][3];
    for (int k = 2; k >= 0; k--) {
        if (k == 0) held[0][k] = A;
        else held[0][k] = k == 1 ? B : C;
        held[1][k] = held[0][2];
    }
    EXPECT_EQ(held[0][0][i], i + 1);
    EXPECT_EQ(sum(held, i), 711 * (i + 1));
}

//--- resources-in-variables-that-loops-change
//# in A u32: 1 2 3 4
//# in B u32: 10 20 30 40
// Lanes continue and break independently, and reconverge after the loop.
StructuredBuffer<uint> A, B;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    StructuredBuffer<uint> current = A;
    uint i = t % 4, all = 0, together = 0;
    for (uint k = 0; k < 4; k += 1) {
        if (k == 2) current = B;
        if (i == 1 && k == 0) continue;
        if (i == 3 && k == 3) break;
        together += WaveActiveCountBits(true) * 4 / WIDTH;
        all += current[i];
    }
    static const uint sums[4] = { 22, 42, 66, 48 };
    static const uint counts[4] = { 14, 11, 14, 11 };
    EXPECT_EQ(all, sums[i]);
    EXPECT_EQ(together, counts[i]);
}

//--- resources-in-arrays
//# finds non-uniform-resource-index
//# in In[0] u32: 1 2
//# in In[1] u32: 10 20
//# zero Out[0] 8
//# zero Out[1] 8
//= Out[0] u32: 0 2
//= Out[1] u32: 10 0
StructuredBuffer<uint> In[2];
RWStructuredBuffer<uint> Out[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[t & 1][0], (t & 1) ? 10 : 1);
    EXPECT_EQ(In[NonUniformResourceIndex(t & 1)][t / 2 % 2], ((t & 1) ? 10 : 1) * (t / 2 % 2 + 1));
    if (t < 2) Out[t][1 - t] = In[t][1 - t];
}

//--- resources-raw-buffers-of-any-type
//# in In u32: 1 2 3 4 5 6 7 8
//# zero Out 48
//= Out u32: 1 2 3 4 0x3f800000 0x40000000 0 9 0x00020001 0 0 0
struct S { uint a; uint2 b; };
ByteAddressBuffer In;
RWByteAddressBuffer Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In.Load<uint>(4), 2);
    EXPECT_EQ(In.Load<uint4>(4 * (t % 4)), uint4(1, 2, 3, 4) + t % 4);
    EXPECT_EQ(In.Load<uint64_t>(0), 0x200000001ull);
    S s = In.Load<S>(8);
    EXPECT_EQ(s.b, uint2(4, 5));
    EXPECT_EQ(In.Load<float2x2>(0)[0], asfloat(uint2(1, 3)));
    if (t == 0) {
        Out.Store<uint4>(0, In.Load<uint4>(0));
        Out.Store<float2>(16, float2(1, 2));
        Out.Store(28, 9u);
        Out.Store<uint>(32, 0x00020001);
    }
}

//--- resources-raw-buffers-of-16-bits
//# args -enable-16bit-types
//# in In u32: 0x00020001 0x40003c00
//# zero Out 8
//= Out u32: 0xfffe0001 0x3c000000
ByteAddressBuffer In;
RWByteAddressBuffer Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In.Load<uint16_t>(2), (uint16_t)2);
    float16_t2 h = In.Load<float16_t2>(4);
    EXPECT_EQ(h.y, (float16_t)2);
    if (t == 0) {
        Out.Store<int16_t2>(0, int16_t2(1, -2));
        Out.Store<float16_t>(6, h.x);
    }
}

//--- resources-typed-buffers-of-each-format
//# in F f32: 0.5 1.5 2.5 3.5
//# in I i32: -1 2
//# in U u32: 1 2 3 4
//# zero W 16
//= W f32: 1 2 0 0
Buffer<float> F;
Buffer<int> I;
Buffer<uint2> U;
RWBuffer<float> W;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(F[t % 4], t % 4 + 0.5);
    EXPECT_EQ(I[t & 1], (t & 1) ? 2 : -1);
    EXPECT_EQ(U[t & 1].y, (t & 1) ? 4 : 2);
    EXPECT_EQ(U[1], uint2(3, 4));
    uint n;
    F.GetDimensions(n);
    EXPECT_EQ(n, 4);
    if (t == 0) { W[0] = 0.5; W[0] += 0.5; W[1] = W[0] * 2; }
}

//--- resources-append-and-consume
//# zero items 512
AppendStructuredBuffer<uint> items;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t & 1) items.Append(t);
    EXPECT(true);
}

//--- resources-atomics-on-parts
//# zero data 48
//# zero raw 8
struct S { uint counter[2]; uint2 v; };
RWStructuredBuffer<S> data;
RWByteAddressBuffer raw;
groupshared uint4 cells[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 2) cells[t] = 0;
    GroupMemoryBarrierWithGroupSync();
    uint before;
    InterlockedAdd(data[0].counter[1], 1, before);
    EXPECT_EQ(before, WaveGetLaneIndex());
    InterlockedAdd(data[1].counter[0], 1u);
    InterlockedMax(cells[1].y, t);
    raw.InterlockedAdd(4, 2, before);
    EXPECT_EQ(before, 2 * t);
    raw.InterlockedOr(0, 1u << (t % 32));
    AllMemoryBarrierWithGroupSync();
    EXPECT_EQ(data[0].counter[1], WIDTH);
    EXPECT_EQ(data[1].counter[0], WIDTH);
    EXPECT_EQ(cells[1].y, WIDTH - 1);
    EXPECT_EQ(cells[1].x, 0);
    EXPECT_EQ(raw.Load(4), 2 * WIDTH);
}

//--- resources-as-inout-parameters
//# zero data 512
//# zero raw 4
RWStructuredBuffer<uint> data;
RWByteAddressBuffer raw;
void put(inout RWStructuredBuffer<uint> to, uint at, uint value) { to[at] = value; }
void count(inout RWByteAddressBuffer to) { to.InterlockedAdd(0, 1); }
void both(inout RWByteAddressBuffer to) { count(to); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    put(data, t, t * 3);
    both(raw);
    AllMemoryBarrierWithGroupSync();
    EXPECT_EQ(data[t ^ 1], (t ^ 1) * 3);
    EXPECT_EQ(raw.Load(0), WIDTH);
}

//--- resources-unbounded-arrays-as-parameters
//# in many u32: 10 11 12 13
StructuredBuffer<uint> many[] : register(t3);
uint at(StructuredBuffer<uint> of[], uint which, uint i) { return of[which][i]; }
uint through(StructuredBuffer<uint> of[], uint which, uint i) {
    uint sum = 0;
    for (uint k = 0; k < 2; k++) sum += at(of, NonUniformResourceIndex(which), i) + of[0][k];
    return sum;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(at(many, 0, 2), 12);
    EXPECT_EQ(through(many, t / WIDTH, t % 4), 2 * (10 + t % 4) + 21);
}

//--- resources-bindings-for-vulkan
//# args -spirv
//# in Few[0] u32: 3
//# in Few[1] u32: 4
//# in One u32: 5
//# in Far u32: 6
//# in Cells u32: 7
[[vk::binding(3)]] StructuredBuffer<uint> Few[2] : register(t0);
[[vk::binding(4)]] StructuredBuffer<uint> One : register(t1);
[[vk::binding(2 + 2, 1)]] StructuredBuffer<uint> Far;
[[vk::binding(0)]] cbuffer Cells : register(b0) { uint cell; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Few[1][0] + One[0] + Far[0] + cell, 22);
#ifndef __spirv__
    EXPECT(false);
#endif
}

//--- resources-bindings-for-vulkan-say-nothing-elsewhere
[[vk::binding(2)]] StructuredBuffer<uint> Few[2] : register(t0);
[[vk::binding(4)]] StructuredBuffer<uint> One : register(t1); //~ error[bad-register]: the registers of `One` overlap those of `Few`
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = Few[1][0] + One[0];
}

//--- resources-bindings-for-vulkan-are-numbers
//# args -spirv
[[vk::binding(-1)]] StructuredBuffer<uint> a; //~ error[bad-register]
[[vk::binding(3)]] StructuredBuffer<uint> b;
[[vk::binding(3)]] StructuredBuffer<uint> c; //~ error[bad-register]: the registers of `c` overlap those of `b`
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = a[0] + b[0] + c[0];
}

//--- resources-push-constants-have-a-packing-of-their-own
//# args -spirv
//# in Push u32: 1 0 2 3  4 5 6 0  7 8 9 0  10 11 12 13  14 0 0 0  15 16
struct Inner { uint2 pair; };
struct All {
    uint first;
    float2 vector;                 // Aligned to its scalars: it does not cross 16 bytes.
    uint last;
    uint3 three;                   // From 16 on.
    uint2x2 matrix_;               // From 32 on, each column aligned to two.
    Inner inner[2];                // From 48 on.
    [[vk::offset(64)]] uint placed;
    [[vk::offset(80)]] uint2 end;
};
[[vk::push_constant]] All Push;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Push.first, 1);
    EXPECT_EQ(asuint(Push.vector.x), 0);
    EXPECT_EQ(Push.last, 3);
    EXPECT_EQ(Push.three.z, 6);
    EXPECT_EQ(Push.matrix_[1][0], 8);
    EXPECT_EQ(Push.inner[1].pair.y, 13);
    EXPECT_EQ(Push.placed, 14);
    EXPECT_EQ(Push.end.y, 16);
}

//--- resources-push-constants-lie-as-structured-buffers-do-if-asked
//# args -spirv -fvk-use-dx-layout
//# in Push u32: 1 2 3 4 5
struct All { uint first; uint list[2]; uint2 vector; };
[[vk::push_constant]] ConstantBuffer<All> Push;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Push.list[1], 3);
    EXPECT_EQ(Push.vector.y, 5);
}

//--- resources-push-constants-are-one-struct
//# args -spirv
struct All { uint first; };
[[vk::push_constant]] All One;
[[vk::push_constant]] All Two; //~ error[bad-attribute]: a program can have only one block of push constants
[[vk::push_constant]] uint Three; //~ error[bad-attribute]: push constants must be a struct or a `ConstantBuffer` of one, not `uint`
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {}

//--- resources-specialization-constants-are-constants-of-the-program
//# args -spirv --constant 0=3 --constant 1=1056964608 --constant 2=7
[[vk::constant_id(0)]] const uint Count = 1;
[[vk::constant_id(1)]] const float Scale = 2;
[[vk::constant_id(2)]] const bool Is = false;
[[vk::constant_id(3)]] const int Kept = -4;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Count, 3);
    EXPECT_EQ(Scale, 0.5);
    EXPECT(Is);
    EXPECT_EQ(Kept, -4);
}

//--- resources-in-arrays-of-structs-are-resources-one-by-one
//# in Many[0].one u32: 1
//# in Many[1].one u32: 2
//# in Many[0].two[0] u32: 3
//# in Many[0].two[1] u32: 4
//# in Many[1].two[0] u32: 5
//# in Many[1].two[1] u32: 6
struct Few { StructuredBuffer<uint> one; StructuredBuffer<uint> two[2]; };
Few Many[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Many[0].one[0] + 10 * Many[1].one[0], 21);
    EXPECT_EQ(Many[1].two[0][0] + 10 * Many[1].two[1][0], 65);
}

//--- resources-of-one-array-can-be-chosen-from-a-variable
//# finds non-uniform-resource-index
//# in All[0] u32: 5
//# in All[1] u32: 6
//# in All[2] u32: 7
StructuredBuffer<uint> All[3];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    StructuredBuffer<uint> turned[3] = { All[2], All[0], All[1] };
    EXPECT_EQ(turned[t % 3][0], 5 + (t + 2) % 3);
}
