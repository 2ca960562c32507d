// WaveMaskBitOr gives the bitwise or of the values of the lanes that the mask names.

//--- wave-mask-bit-or-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskBitOr(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-bit-or-of-int
//# widths 4..32
//# args --dialect slang
#define T int
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskBitOr(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-bit-or-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskBitOr(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-bit-or-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskBitOr(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-bit-or-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskBitOr(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-bit-or-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskBitOr(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-bit-or-of-uint16-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    uint16_t3 v = uint16_t3(value(t), value(t + 1), value(t + 2));
    uint16_t3 got = WaveMaskBitOr(mask, v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}

//--- wave-mask-bit-or-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    uint64_t3 v = uint64_t3(value(t), value(t + 1), value(t + 2));
    uint64_t3 got = WaveMaskBitOr(mask, v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}
