// Textures without samplers: loads, elements, levels, samples, and accesses out of range.

//--- a-texel-is-loaded-from-a-level
//# texture Tex RGBA8_UNORM 4x2 mips 3: 0..32 100*8 255 0 51 102
Texture2D<float4> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = lane % 4, y = lane / 4 % 2;
    float first = 4 * (x + 4 * y);
    float4 texel = Tex.Load(int3(x, y, 0));
    EXPECT_EQ(texel, float4(first, first + 1, first + 2, first + 3) / 255);
    EXPECT_EQ(Tex.Load(int3(1, 0, 1)), (float4)(100.0 / 255));
    EXPECT_EQ(Tex.Load(int3(0, 0, 2)), float4(1, 0, 0.2, 0.4));
    EXPECT_EQ(Tex[uint2(x, y)], texel);
    EXPECT_EQ(Tex[uint2(x, y)].zy, texel.zy);
    EXPECT_EQ(Tex[uint2(x, y)][lane % 3], texel[lane % 3]);
}

//--- mips-names-a-texel-of-a-level
//# finds buffer-out-of-bounds
//# texture Tex R32_UINT 4x4 mips 3: 0..21
//# texture Volume R32_UINT 2x2x2 mips 2: 0..9
Texture2D<uint> Tex;
Texture3D<uint> Volume;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint level = lane % 3;
    uint first = level == 0 ? 0 : level == 1 ? 16 : 20;
    EXPECT_EQ(Tex.mips[level][uint2(0, 0)], first);
    EXPECT_EQ(Tex.mips[0][uint2(lane % 4, 2)], 8 + lane % 4);
    EXPECT_EQ(Tex.mips[1][uint2(1, 1)], 19u);
    EXPECT_EQ(Tex.mips[1][uint2(2, 1)], 0u);
    EXPECT_EQ(Volume.mips[1][uint3(0, 0, 0)], 8u);
    EXPECT_EQ(Volume.mips[0][uint3(1, 0, 1)], 5u);
}

//--- every-kind-of-texture-loads-its-texels
//# texture One R32_FLOAT 4: 0..4
//# texture OneArray R32_FLOAT 2 layers 3: 0..6
//# texture Two R32_FLOAT 2x3: 0..6
//# texture TwoArray R32_FLOAT 2x2 layers 2: 0..8
//# texture Three R32_FLOAT 2x2x3: 0..12
Texture1D<float> One;
Texture1DArray<float> OneArray;
Texture2D<float> Two;
Texture2DArray<float> TwoArray;
Texture3D<float> Three;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(One.Load(int2(lane % 4, 0)), (float)(lane % 4));
    EXPECT_EQ(One[3], 3.0);
    EXPECT_EQ(OneArray.Load(int3(lane % 2, 2, 0)), 4.0 + lane % 2);
    EXPECT_EQ(OneArray[uint2(1, 1)], 3.0);
    EXPECT_EQ(Two.Load(int3(1, lane % 3, 0)), 2.0 * (lane % 3) + 1);
    EXPECT_EQ(TwoArray.Load(int4(1, 0, lane % 2, 0)), 4.0 * (lane % 2) + 1);
    EXPECT_EQ(TwoArray[uint3(0, 1, 1)], 6.0);
    EXPECT_EQ(Three.Load(int4(0, 1, lane % 3, 0)), 4.0 * (lane % 3) + 2);
    EXPECT_EQ(Three[uint3(1, 1, 2)], 11.0);
}

//--- texels-that-are-not-there-load-as-zero
//# finds buffer-out-of-bounds
//# texture Tex RGBA8_UNORM 4x4 layers 2 mips 2: 255*160
Texture2DArray<float4> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.Load(int4(3, 3, 1, 0)), (float4)1);
    EXPECT_EQ(Tex.Load(int4(1, 1, 1, 1)), (float4)1);
    EXPECT_EQ(Tex.Load(int4(4, 0, 0, 0)), (float4)0);
    EXPECT_EQ(Tex.Load(int4(-1, 0, 0, 0)), (float4)0);
    EXPECT_EQ(Tex.Load(int4(0, -1 - (int)lane, 0, 0)), (float4)0);
    EXPECT_EQ(Tex.Load(int4(0, 0, 2, 0)), (float4)0);
    EXPECT_EQ(Tex.Load(int4(0, 0, 0, 2)), (float4)0);
    EXPECT_EQ(Tex.Load(int4(0, 0, 0, -1)), (float4)0);
    EXPECT_EQ(Tex.Load(int4(2, 0, 0, 1)), (float4)0);
    EXPECT_EQ(Tex[uint3(0, 4 + lane, 0)], (float4)0);
}

//--- offsets-move-a-load
//# finds buffer-out-of-bounds
//# texture Tex R32_UINT 4x4 mips 2: 0..20
Texture2D<uint> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.Load(int3(1, 1, 0), int2(1, -1)), 2u);
    EXPECT_EQ(Tex.Load(int3(0, 0, 1), int2(1, 1)), 19u);
    EXPECT_EQ(Tex.Load(int3(0, 0, 0), int2(-1, 0)), 0u);
    uint status;
    EXPECT_EQ(Tex.Load(int3(lane % 4, 0, 0), int2(0, 1), status), 4 + lane % 4);
    EXPECT(CheckAccessFullyMapped(status));
}

//--- samples-of-a-texel-are-loaded-by-their-index
//# finds buffer-out-of-bounds
//# texture Tex R32_UINT 2x2 samples 4: 0..16
//# texture Array R32_UINT 1x1 layers 2 samples 4: 7 8 0 0 9 10 0 0
Texture2DMS<uint> Tex;
Texture2DMSArray<uint> Array;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(Tex.Load(int2(1, 0), lane % 4), 4 + lane % 4);
    EXPECT_EQ(Tex.Load(int2(0, 1), 4), 0u);
    EXPECT_EQ(Tex.Load(int2(0, 0), 1, int2(1, 1)), 13u);
    EXPECT_EQ(Tex[uint2(1, 1)], 12u);
    EXPECT_EQ(Tex.sample[3][uint2(0, 1)], 11u);
    EXPECT_EQ(Array.Load(int3(0, 0, 1), 1), 10u);
    EXPECT_EQ(Array.Load(int3(0, 0, 2), 1), 0u);
    uint width, height, layers, samples;
    Tex.GetDimensions(width, height, samples);
    EXPECT_EQ(uint3(width, height, samples), uint3(2, 2, 4));
    Array.GetDimensions(width, height, layers, samples);
    EXPECT_EQ(uint4(width, height, layers, samples), uint4(1, 1, 2, 4));
}

//--- channels-that-a-format-lacks-are-zero-and-alpha-one
//# texture A R8_UNORM 1: 255
//# texture B RG16_UINT 1: 7 8
//# texture C RG11B10_FLOAT 1: 0x781e03c0
//# texture D R32_SINT 1: -5
Texture1D<float4> A;
Texture1D<uint4> B;
Texture1D<float4> C;
Texture1D<int4> D;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(A[0], float4(1, 0, 0, 1));
    EXPECT_EQ(B[0], uint4(7, 8, 0, 1));
    EXPECT_EQ(C[0], float4(1, 1, 1, 1));
    EXPECT_EQ(D[0], int4(-5, 0, 0, 1));
}

//--- formats-of-eight-bits
//# texture Unorm RGBA8_UNORM 1: 0 51 128 255
//# texture Snorm RGBA8_SNORM 1: 0 127 -127 -128
//# texture Uint RGBA8_UINT 1: 0 1 128 255
//# texture Sint RGBA8_SINT 1: 0 1 -128 127
//# texture Srgb RGBA8_SRGB 1: 0 10 188 188
//# texture Bgra BGRA8_UNORM 1: 0 51 255 102
Texture1D<float4> Unorm, Snorm, Srgb, Bgra;
Texture1D<uint4> Uint;
Texture1D<int4> Sint;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(Unorm[0], float4(0, 0.2, 128.0 / 255, 1));
    EXPECT_EQ(Snorm[0], float4(0, 1, -1, -1));
    EXPECT_EQ(Uint[0], uint4(0, 1, 128, 255));
    EXPECT_EQ(Sint[0], int4(0, 1, -128, 127));
    EXPECT_EQ(Srgb[0], float4(0, 0.0030352698, 0.50288646, 188.0 / 255));
    EXPECT_EQ(Bgra[0], float4(1, 0.2, 0, 0.4));
}

//--- formats-of-more-bits
//# texture A RGBA16_UNORM 1: 0 13107 65535 32768
//# texture B RG16_SNORM 1: -32768 32767
//# texture C RGBA16_FLOAT 1: 1 -2 0.5 65504
//# texture D RGB10A2_UNORM 1: 0xc00003ff
//# texture E RGB10A2_UINT 1: 0x400007ff
//# texture F RGB9E5_SHAREDEXP 1: 0x80000100
//# texture G RGBA32_SINT 1: -1 2 -3 4
Texture1D<float4> A, B, C, D, F;
Texture1D<uint4> E;
Texture1D<int4> G;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(A[0], float4(0, 0.2, 1, 32768.0 / 65535));
    EXPECT_EQ(B[0].xy, float2(-1, 1));
    EXPECT_EQ(C[0], float4(1, -2, 0.5, 65504));
    EXPECT_EQ(D[0], float4(1, 0, 0, 1));
    EXPECT_EQ(E[0], uint4(1023, 1, 0, 1));
    EXPECT_EQ(F[0], float4(1, 0, 0, 1));
    EXPECT_EQ(G[0], int4(-1, 2, -3, 4));
}

//--- small-floats-are-loaded-from-textures
//# texture Tex RGBA16_FLOAT 2: 1 2 3 4  0.5 -1 7 8
//# args -enable-16bit-types -T cs_6_2
Texture1D<half4> Tex;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    half4 texel = Tex[lane % 2];
    EXPECT(all(texel == (lane % 2 ? half4(0.5, -1, 7, 8) : half4(1, 2, 3, 4))));
}

//--- each-lane-loads-from-its-own-texture-of-an-array
//# finds buffer-out-of-bounds
//# texture Tex[0] R32_UINT 1: 5
//# texture Tex[1] R32_UINT 2: 6 7
Texture1D<uint> Tex[2];
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint which = NonUniformResourceIndex(lane % 2);
    EXPECT_EQ(Tex[which][0], 5 + lane % 2);
    EXPECT_EQ(Tex[which].Load(int2(1, 0)), lane % 2 ? 7u : 0u);
    uint width;
    Tex[which].GetDimensions(width);
    EXPECT_EQ(width, 1 + lane % 2);
}

//--- textures-tell-their-sizes
//# texture One RGBA8_UNORM 7 mips 3
//# texture OneArray R8_UNORM 6 layers 3
//# texture Two R8_UNORM 20x8 mips 4
//# texture TwoArray R8_UNORM 4x4 layers 5 mips 2
//# texture Three R8_UNORM 8x4x2 mips 4
//# texture Cube R8_UNORM 4x4 layers 6 mips 3
//# texture CubeArray R8_UNORM 4x4 layers 12
//# texture Writable R8_UNORM 5x3
Texture1D One;
Texture1DArray OneArray;
Texture2D Two;
Texture2DArray TwoArray;
Texture3D Three;
TextureCube Cube;
TextureCubeArray CubeArray;
RWTexture2D<float> Writable;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint w, h, d, n, levels;
    One.GetDimensions(w);
    EXPECT_EQ(w, 7u);
    One.GetDimensions(1, w, levels);
    EXPECT_EQ(uint2(w, levels), uint2(3, 3));
    OneArray.GetDimensions(w, n);
    EXPECT_EQ(uint2(w, n), uint2(6, 3));
    Two.GetDimensions(w, h);
    EXPECT_EQ(uint2(w, h), uint2(20, 8));
    Two.GetDimensions(lane % 4, w, h, levels);
    EXPECT_EQ(uint3(w, h, levels), uint3(20u >> lane % 4, 8u >> lane % 4, 4));
    Two.GetDimensions(4, w, h, levels);
    EXPECT_EQ(uint3(w, h, levels), uint3(0, 0, 4));
    TwoArray.GetDimensions(1, w, h, n, levels);
    EXPECT_EQ(uint4(w, h, n, levels), uint4(2, 2, 5, 2));
    Three.GetDimensions(2, w, h, d, levels);
    EXPECT_EQ(uint4(w, h, d, levels), uint4(2, 1, 1, 4));
    Cube.GetDimensions(1, w, h, levels);
    EXPECT_EQ(uint3(w, h, levels), uint3(2, 2, 3));
    CubeArray.GetDimensions(w, h, n);
    EXPECT_EQ(uint3(w, h, n), uint3(4, 4, 2));
    Writable.GetDimensions(w, h);
    EXPECT_EQ(uint2(w, h), uint2(5, 3));
    float fw, fh;
    Two.GetDimensions(fw, fh);
    EXPECT_EQ(float2(fw, fh), float2(20, 8));
}
