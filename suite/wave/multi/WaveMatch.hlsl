// WaveMatch gives each lane the set of active lanes that hold the same value; it always includes the lane itself.

//--- lanes-with-the-same-key
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 expected = uint4(0, 0, 0, 0);
    for (uint lane = t % 3; lane < WIDTH; lane += 3) expected[lane / 32] |= 1u << (lane % 32);
    EXPECT_EQ(WaveMatch(t % 3), expected);
}

//--- only-active-lanes-match
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 2 == 0) {
        uint4 expected = uint4(0, 0, 0, 0);
        for (uint lane = 0; lane < WIDTH; lane += 2) expected[lane / 32] |= 1u << (lane % 32);
        EXPECT_EQ(WaveMatch(5), expected);
    }
}

//--- vectors-match-in-all-components
//# args -Wno-narrow-lane-mask
//# finds truncated-mask shift-out-of-range
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(countbits(WaveMatch(uint2(t % 2, t / 2 % 2))).x, min(WIDTH, 32) / 4);
    EXPECT_EQ(WaveMatch(float2(t, 0)).x & WaveMatch(float2(0, t)).x, t < 32 ? 1u << t : 0u);
}

//--- every-bit-of-every-component-counts
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 7 == 3) return;
    uint4 bits = 0, pairs = 0;
    for (uint lane = 0; lane < WIDTH; lane++) {
        uint4 own = 0;
        own[lane / 32] = 1u << (lane % 32);
        if (lane % 7 == 3) continue;
        if (lane * 11 % 32 == t * 11 % 32) bits |= own;
        if (lane % 5 == t % 5 && lane / 9 == t / 9) pairs |= own;
    }
    EXPECT_EQ(WaveMatch(1u << (t * 11 % 32)), bits);
    EXPECT_EQ(WaveMatch(int2(-1 << (t % 5 * 7), t / 9)), pairs);
}

//--- floats-match-by-their-bits
//# args -Wno-narrow-lane-mask
//# finds float-equality truncated-mask
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float v = t == 0 ? 0.0 : t == 1 ? -0.0 : asfloat(0x7fc00000);
    EXPECT_EQ(WaveMatch(v).x & 0xf, t == 0 ? 1 : t == 1 ? 2 : 0xc);
}

//--- matching-64-bits-and-bools
//# args -Wno-narrow-lane-mask
//# finds truncated-mask
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveMatch((uint64_t)(t & 1) << 63).x & 0xf, t & 1 ? 0xa : 5);
    EXPECT_EQ(WaveMatch((double)(t & 1)).x & 0xf, t & 1 ? 0xa : 5);
    EXPECT_EQ(WaveMatch(t < 2).x & 0xf, t < 2 ? 3 : 0xc);
}

//--- the-illustration-of-wave-match
//# args -Wno-narrow-lane-mask
//# widths 8
//# in Input i32: 0 123 0 123 0 -1 -1 15
//# zero Out 32
//= Out u32: 0 0xa 0x4 0xa 0 0x60 0x60 0x80
StructuredBuffer<int> Input;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t != 0 && t != 4) Out[t] = WaveMatch(Input[t]).x;
}
