// Several small numbers in one word.

//--- pack-u8-and-pack-s8-take-the-low-bytes
//# args -enable-16bit-types
//# in U u32: 0x00000101 0xfffffffe 0x0000007f 0xffffff80
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    uint4 v = uint4(U[0], U[1], U[2], U[3]);
    EXPECT_EQ((uint)pack_u8(v), 0x807ffe01);
    EXPECT_EQ((uint)pack_s8((int4)v), 0x807ffe01);
    EXPECT_EQ((uint)pack_u8((uint16_t4)v), 0x807ffe01);
    EXPECT_EQ((uint)pack_s8((int16_t4)v), 0x807ffe01);
}

//--- pack-clamp-brings-numbers-into-the-range-of-bytes
//# args -enable-16bit-types
//# in I i32: 300 -300 100 -1 255 -128 127 128
StructuredBuffer<int> I;
[numthreads(WIDTH, 1, 1)]
void main() {
    int4 v = int4(I[0], I[1], I[2], I[3]), w = int4(I[4], I[5], I[6], I[7]);
    EXPECT_EQ((uint)pack_clamp_u8(v), 0x006400ff);
    EXPECT_EQ((uint)pack_clamp_s8(v), 0xff64807f);
    EXPECT_EQ((uint)pack_clamp_u8(w), 0x807f00ff);
    EXPECT_EQ((uint)pack_clamp_s8(w), 0x7f7f807f);
    EXPECT_EQ((uint)pack_clamp_u8((int16_t4)v), 0x006400ff);
    EXPECT_EQ((uint)pack_clamp_s8((int16_t4)v), 0xff64807f);
    // They take signed numbers: an unsigned one above the range is a negative one.
    EXPECT_EQ((uint)pack_clamp_u8((uint4)v), 0x006400ff);
}

//--- unpack-extends-bytes-by-their-sign
//# args -enable-16bit-types
//# in U u32: 0x807ffe01
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(unpack_u8u32(U[0]), uint4(0x01, 0xfe, 0x7f, 0x80));
    EXPECT_EQ(unpack_s8s32(U[0]), int4(1, -2, 127, -128));
    EXPECT_EQ((uint4)unpack_u8u16(U[0]), uint4(0x01, 0xfe, 0x7f, 0x80));
    EXPECT_EQ((int4)unpack_s8s16(U[0]), int4(1, -2, 127, -128));
    EXPECT_EQ((uint)pack_u8(unpack_u8u16(U[0])), U[0]);
}

//--- dot4add-of-signed-and-unsigned-bytes
//# in U u32: 0x807ffe01 0x7f80ff02 0xffffffff
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(dot4add_u8packed(U[0], U[1], t), 1 * 2 + 0xfe * 0xff + 0x7f * 0x80 + 0x80 * 0x7f + t);
    EXPECT_EQ(dot4add_i8packed(U[0], U[1], (int)t), 1 * 2 + 2 - 127 * 128 - 128 * 127 + (int)t);
    EXPECT_EQ(dot4add_u8packed(U[2], U[2], 0xffffffff), 4 * 255 * 255 - 1);
    EXPECT_EQ(dot4add_i8packed(U[2], U[2], -5), -1);
}

//--- dot2add-computes-in-float
//# args -enable-16bit-types
//# in H f16: 300 300 2 0.5
StructuredBuffer<half> H;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(dot2add(half2(H[0], H[1]), half2(H[0], H[1]), (float)t), 180000.0 + t);
    EXPECT_EQ(dot2add(half2(H[2], H[3]), half2(H[2], H[3]), 0.0), 4.25);
}

//--- msad4-skips-the-zero-bytes-of-the-reference
//# in U u32: 0x00030201 0x04030201 0x08070605 0
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 source = uint2(U[1], U[2]);
    EXPECT_EQ(msad4(U[0], source, 0), uint4(0, 3, 6, 9));
    EXPECT_EQ(msad4(U[1], source, uint4(t, 1, 2, 3)), uint4(t, 5, 10, 15));
    EXPECT_EQ(msad4(U[3], source, uint4(1, 2, 3, 4)), uint4(1, 2, 3, 4));
    EXPECT_EQ(msad4(0xffffffff, 0, 0), uint4(1020, 1020, 1020, 1020));
}

//--- d3dcolortoubyte4-exchanges-red-and-blue
//# in F f32: 0 0.5 1 0.25 -1
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(D3DCOLORtoUBYTE4(float4(F[0], F[1], F[2], F[3])), int4(255, 127, 0, 63));
    EXPECT_EQ(D3DCOLORtoUBYTE4(float4(F[4], 0, 0, 0)), int4(0, 0, -255, 0));
}

//--- adduint64-carries-from-the-low-half
//# in U u32: 0xffffffff 1 0x80000000
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(AddUint64(uint2(U[0], t), uint2(U[1], 0)), uint2(0, t + 1));
    EXPECT_EQ(AddUint64(uint2(U[0], U[0]), uint2(U[1], 0)), uint2(0, 0));
    EXPECT_EQ(AddUint64(uint4(U[2], 0, 1, 2), uint4(U[2], 0, 3, 4)), uint4(0, 1, 4, 6));
}
