// WaveMultiPrefixInclusiveMin gives each lane the minimum of the lanes of its group up to and with itself.

//--- wave-multi-prefix-inclusive-min-of-uint
//# args --dialect slang
#define T uint
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0xffffffff;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-int
//# args --dialect slang
#define T int
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 2147483647;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-uint64
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = ~(uint64_t)0;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-int64
//# args --dialect slang
#define T int64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 0x7fffffffffffffffll;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (uint16_t)0xffff;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = (int16_t)0x7fff;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-float
//# args --dialect slang
#define T float
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat(0x7f800000);
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-double
//# args --dialect slang
#define T double
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asdouble(0u, 0x7ff00000u);
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat16((uint16_t)0x7c00);
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixInclusiveMin(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-inclusive-min-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = asfloat16((uint16_t)0x7c00);
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    float16_t3 v = float16_t3(value(t), value(t + 1), value(t + 2));
    float16_t3 got = WaveMultiPrefixInclusiveMin(v, group);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}

//--- wave-multi-prefix-inclusive-min-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a < b ? a : b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = ~(uint64_t)0;
    for (uint lane = 0; lane < t + 1; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    uint64_t3 v = uint64_t3(value(t), value(t + 1), value(t + 2));
    uint64_t3 got = WaveMultiPrefixInclusiveMin(v, group);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}
