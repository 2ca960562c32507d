// Writable textures: stores, parts of texels, formats, atomics, and accesses out of range.

//--- stored-texels-are-loaded-again
//# texture Tex RGBA32_FLOAT 8x4
//= Tex f32: 0 0 0.5 1  1 0 0.5 1  2 0 0.5 1
RWTexture2D<float4> Tex;
[numthreads(8, 4, 1)]
void main(uint2 at : SV_GroupThreadID) {
    RWTexture2D<float4> tex = Tex;
    tex[at] = float4(at, 0.5, 1);
    EXPECT_EQ(tex[at], float4(at, 0.5, 1));
    EXPECT_EQ(tex.Load(at), float4(at, 0.5, 1));
}

//--- every-kind-of-writable-texture-is-stored-to
//# texture One R32_UINT 4
//# texture OneArray R32_UINT 2 layers 2
//# texture Two R32_UINT 2x2
//# texture TwoArray R32_UINT 2x1 layers 2
//# texture Three R32_UINT 1x2x2
//= One u32: 10 11 12 13
//= OneArray u32: 20 21 22 23
//= Two u32: 30 31 32 33
//= TwoArray u32: 40 41 42 43
//= Three u32: 50 51 52 53
RWTexture1D<uint> One;
RWTexture1DArray<uint> OneArray;
RWTexture2D<uint> Two;
RWTexture2DArray<uint> TwoArray;
RWTexture3D<uint> Three;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint x = i % 2, y = i / 2;
    One[i] = 10 + i;
    OneArray[uint2(x, y)] = 20 + i;
    Two[uint2(x, y)] = 30 + i;
    TwoArray[uint3(x, 0, y)] = 40 + i;
    Three[uint3(0, x, y)] = 50 + i;
}

//--- stores-outside-vanish
//# finds buffer-out-of-bounds equal-stores
//# texture Tex R32_UINT 2x2 layers 2: 1 2 3 4 5 6 7 8
//= Tex u32: 1 2 3 4 5 6 7 9
RWTexture2DArray<uint> Tex;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    Tex[uint3(2 + i, 0, 0)] = 77;
    Tex[uint3(0, 2, 0)] = 77;
    Tex[uint3(0, 0, 2 + i)] = 77;
    Tex[uint3(0xffffffffu, 0, 0)] = 77;
    Tex[uint3(1, 1, 1)] = 9;
}

//--- a-part-of-a-texel-is-written
//# texture Tex RGBA32_FLOAT 4: 1 2 3 4  5 6 7 8  9 10 11 12  13 14 15 16
//# in Typed f32: 1 2 3 4
//= Tex f32: 1 2 -1 4  5 6 -1 8  9 10 -1 12  13 14 -1 16
//= Typed f32: 1 5 3 4
RWTexture1D<float4> Tex;
RWBuffer<float4> Typed;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    Tex[i].z = -1;
    EXPECT_EQ(Tex[i].zx, float2(-1, 1 + 4 * i));
    Tex[i].x += 1;
    EXPECT_EQ(Tex[i].x, 2.0 + 4 * i);
    Tex[i].x -= 1;
    if (i == 0) Typed[0].y = 5;
}

//--- stores-convert-to-the-format
//# finds equal-stores
//# texture Unorm RGBA8_UNORM 1
//# texture Snorm RG8_SNORM 1
//# texture Half RG16_FLOAT 1
//# texture Ten RGB10A2_UNORM 1
//# texture Small RG11B10_FLOAT 1
//# texture Byte RG8_UINT 1
//# texture Signed RG16_SINT 1
//# texture Bgra BGRA8_UNORM 1
//= Unorm u8: 128 255 0 0
//= Snorm i8: 64 -127
//= Half f16: 0.5 65504
//= Ten u32: 0x800ffe00
//= Small u32: 0x801e03c0
//= Byte u8: 255 7
//= Signed i16: -32768 7
//= Bgra u8: 255 128 0 51
RWTexture1D<float4> Unorm, Ten, Bgra;
RWTexture1D<float2> Snorm, Half;
RWTexture1D<float3> Small;
RWTexture1D<uint2> Byte;
RWTexture1D<int2> Signed;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    float nan = asfloat(0x7fc00000u);
    Unorm[0] = float4(0.5, 7, -1, nan);
    Snorm[0] = float2(0.5, -9);
    Half[0] = float2(0.5, 65504);
    Ten[0] = float4(0.5, 1, 0, 0.7);
    Small[0] = float3(1, 1, 2);
    Byte[0] = uint2(300, 7);
    Signed[0] = int2(-70000, 7);
    Bgra[0] = float4(0, 0.5, 1, 0.2);
    EXPECT_EQ(Byte[0], uint2(255, 7));
}

//--- channels-that-the-type-lacks-stay-as-they-were
//# finds equal-stores
//# texture Tex RGBA8_UINT 1: 1 2 3 4
//= Tex u8: 9 8 3 4
RWTexture1D<uint2> Tex;
[numthreads(4, 1, 1)]
void main() {
    Tex[0] = uint2(9, 8);
}

//--- atomics-on-textures-return-what-was-there
//# finds buffer-out-of-bounds
//# texture Sum R32_UINT 4
//# texture Least R32_SINT 2x2: 5 5 5 5
//# texture Swap R32_UINT 1x1x1: 100
RWTexture1D<uint> Sum;
RWTexture2D<int> Least;
RWTexture3D<uint> Swap;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint before;
    InterlockedAdd(Sum[lane % 4], 1, before);
    EXPECT_EQ(before, lane / 4);
    EXPECT_EQ(Sum[lane % 4], WIDTH / 4u);
    InterlockedMin(Least[uint2(lane % 2, 0)], -(int)lane);
    EXPECT_EQ(Least[uint2(1, 0)], 1 - WIDTH);
    EXPECT_EQ(Least[uint2(1, 1)], 5);
    InterlockedCompareExchange(Swap[uint3(0, 0, 0)], 100, lane, before);
    EXPECT_EQ(before, lane == 0 ? 100u : 0u);
    InterlockedExchange(Swap[uint3(0, 0, lane + 1)], 7, before);
    EXPECT_EQ(before, 0u);
}

//--- atomics-of-64-bits-on-textures
//# texture Tex R64_UINT 2: 0x100000000 5
//= Tex u64: 0x100000006 5
//# args -T cs_6_6
RWTexture1D<uint64_t> Tex;
[numthreads(4, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    InterlockedAdd(Tex[0], (uint64_t)lane);
    EXPECT_EQ(Tex[0], 0x100000006ull);
    EXPECT_EQ(Tex[1], 5ull);
}

//--- a-component-that-each-lane-chooses
//# texture Tex R32G32B32A32_UINT 4: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
//= Tex u32: 70 2 3 4 5 71 7 8 9 10 72 12 13 14 15 73
RWTexture1D<uint4> Tex;
RWBuffer<uint4> Typed;
//# zero Typed 64
//= Typed u32: 0 0 7 0 0 9 0 0 0 0 5 0 0 8 0 0
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    Tex[i][i] = 70 + i;
    EXPECT_EQ(Tex[i][i], 70 + i);
    EXPECT_EQ(Tex[i][(i + 1) % 4], i == 3 ? 13 : i * 5 + 2);
    // Through a swizzle, with one component read back and one added to.
    Typed[i].zy[i & 1] = 4 + i;
    Typed[i].zy[i & 1] += i == 0 ? 3 : i == 1 ? 4 : i == 2 ? -1 : 1;
}

//--- samples-are-read-written-and-changed-by-their-index
//# texture Tex R32_UINT 4x1 samples 4: 0..16
//# texture Array RGBA32_FLOAT 1x1 layers 2 samples 2: 1*16
//= Tex u32: 1000 10 7 3  104 5 6 12  208 9 15 11  312 13 14 20
//= Array f32: 1 1 1 1  1 1 1 1  1 1 1 1  1 7 1 9
RWTexture2DMS<uint> Tex;
RWTexture2DMSArray<float4> Array;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    if (lane < 4) {
        uint2 at = uint2(lane, 0);
        uint before = Tex.sample[0][at];
        EXPECT_EQ(before, 4 * lane);
        Tex.sample[0][at] = 100 * lane + before;
        // An index that differs between lanes, and values of assignments.
        uint which = 2 + lane % 2;
        uint held = 4 * lane + which;
        EXPECT_EQ(Tex.sample[which][at] += 5, held + 5);
        EXPECT_EQ(Tex.sample[which][at]++, held + 5);
        EXPECT_EQ(--Tex.sample[which][at], held + 5);
        EXPECT_EQ(Tex.Load(at, which), held + 5);
    }
    if (lane == 0) {
        // Without a sample, the first one is meant.
        Tex[uint2(0, 0)] = 1000;
        EXPECT_EQ(Tex[uint2(0, 0)], 1000u);
        // `out` arguments are written to the place.
        modf(10.5, Array.sample[1][uint3(0, 0, 1)].y);
        EXPECT_EQ(Array.sample[1][uint3(0, 0, 1)], float4(1, 10, 1, 1));
        Array.sample[1][uint3(0, 0, 1)].yw = float2(7, 9);
        Tex.sample[1][uint2(0, 0)] = 10;
    }
}

//--- samples-that-do-not-exist-are-not-written
//# finds buffer-out-of-bounds
//# texture Tex R32_UINT 2x1 samples 2: 1 2 3 4
//= Tex u32: 1 2 3 4
RWTexture2DMS<uint> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Tex.sample[2][uint2(0, 0)] = lane;
    Tex.sample[0][uint2(2, 0)] = lane;
    EXPECT_EQ(Tex.sample[2 + lane][uint2(0, 0)], 0u);
    uint width, height, samples;
    Tex.GetDimensions(width, height, samples);
    EXPECT_EQ(uint3(width, height, samples), uint3(2, 1, 2));
}

//--- samples-of-a-texel-are-different-places
//# texture Tex R32_UINT 1x1 samples 4
//= Tex u32: 10 11 12 13
RWTexture2DMS<uint> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    if (lane < 4) Tex.sample[lane][uint2(0, 0)] = 10 + lane;
}
