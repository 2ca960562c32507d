// WaveActiveProduct gives every active lane the product of the active lanes' values; inactive lanes do not count, whatever they hold.

//--- wave-active-product-of-uint
#define T uint
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-int
#define T int
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-uint64
#define T uint64_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-int64
#define T int64_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-uint16
//# args -enable-16bit-types
#define T uint16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-int16
//# args -enable-16bit-types
#define T int16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-float
#define T float
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-double
#define T double
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-half
//# args -enable-16bit-types
#define T float16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    T got = WaveActiveProduct(value(t));
    EXPECT_EQ(got, expected(t, 0));
}

//--- wave-active-product-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    float16_t3 v = float16_t3(value(t), value(t + 1), value(t + 2));
    float16_t3 got = WaveActiveProduct(v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}

//--- wave-active-product-of-uint64-vectors
#define T uint64_t
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
bool active(uint lane) { return lane % 5 != 1; }
T expected(uint t, uint shift) {
    T folded = 1;
    for (uint lane = 0; lane < WIDTH; ++lane) if (active(lane)) folded = fold(folded, value(lane + shift));
    return folded;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint64_t3 v = uint64_t3(value(t), value(t + 1), value(t + 2));
    uint64_t3 got = WaveActiveProduct(v);
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
}
