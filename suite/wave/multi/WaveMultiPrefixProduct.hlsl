// WaveMultiPrefixProduct gives each lane the product of the lanes of its group below it.

//--- wave-multi-prefix-product-of-uint
#define T uint
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-int
#define T int
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-uint64
#define T uint64_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-int64
#define T int64_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-uint16
//# args -enable-16bit-types
#define T uint16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-int16
//# args -enable-16bit-types
#define T int16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-float
#define T float
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-double
#define T double
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-half
//# args -enable-16bit-types
#define T float16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    T got = WaveMultiPrefixProduct(value(t), group);
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-multi-prefix-product-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    float16_t3 v = float16_t3(value(t), value(t + 1), value(t + 2));
    float16_t3 got = WaveMultiPrefixProduct(v, group);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}

//--- wave-multi-prefix-product-of-uint64-vectors
#define T uint64_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < t; ++lane) if (lane % 3 == t % 3 && active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    uint64_t3 v = uint64_t3(value(t), value(t + 1), value(t + 2));
    uint64_t3 got = WaveMultiPrefixProduct(v, group);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}
