// WaveMaskMax gives the maximum of the values of the lanes that the mask names.

//--- wave-mask-max-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
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
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-int
//# widths 4..32
//# args --dialect slang
#define T int
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (int)0x80000000;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
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
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (int64_t)0x8000000000000000ull;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
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
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (int16_t)0x8000;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-float
//# widths 4..32
//# args --dialect slang
#define T float
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat(0xff800000);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-double
//# widths 4..32
//# args --dialect slang
#define T double
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asdouble(0u, 0xfff00000u);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-half
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat16((uint16_t)0xfc00);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    T got = WaveMaskMax(mask, value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-mask-max-of-half-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat16((uint16_t)0xfc00);
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint mask = WaveActiveBallot(true).x;
    float16_t3 v = float16_t3(value(t), value(t + 1), value(t + 2));
    float16_t3 got = WaveMaskMax(mask, v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}

//--- wave-mask-max-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
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
    uint64_t3 got = WaveMaskMax(mask, v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}
