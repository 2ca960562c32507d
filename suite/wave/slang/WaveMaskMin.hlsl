// WaveMaskMin gives the minimum of the values of the lanes that the mask names.

//--- wave-mask-min-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0xffffffff;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-int
//# widths 4..32
//# args --dialect slang
#define T int
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 2147483647;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = ~(uint64_t)0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0x7fffffffffffffffll;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (uint16_t)0xffff;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (int16_t)0x7fff;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-float
//# widths 4..32
//# args --dialect slang
#define T float
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat(0x7f800000);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-double
//# widths 4..32
//# args --dialect slang
#define T double
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asdouble(0u, 0x7ff00000u);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-half
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat16((uint16_t)0x7c00);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMin(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-min-of-half-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat16((uint16_t)0x7c00);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    float16_t3 v = float16_t3(value(t), value(t + 1), value(t + 2));
    float16_t3 got = WaveMaskMin(mask, v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}

//--- wave-mask-min-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = ~(uint64_t)0;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    uint64_t3 v = uint64_t3(value(t), value(t + 1), value(t + 2));
    uint64_t3 got = WaveMaskMin(mask, v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}
