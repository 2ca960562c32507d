// Unit tests in HLSL: #include <wavelane.hlsli>, write TEST_CASE(name) { … }, run `wavelane test file.hlsl`.
// Plain HLSL, so that the same cases compile everywhere; each runs at every wave width.
//
//   EXPECT(condition)              EXPECT_EQ(got, expected)
//   EXPECT_NE(got, unexpected)     EXPECT_NEAR(got, expected, tolerance)
//
// ASSERT(condition) is for any shader, not only for cases: where the condition is false, `wavelane run` says so, with the
// lanes and what they compared. Other compilers ignore it.
//
// A case is a thread group of 128 threads; TEST_CASE_N(name, x, y, z) has a group of its own size.
// In a case, test_index is SV_GroupIndex and test_thread is SV_GroupThreadID.
//
// TEST_DRAW(name, width, height) is a case that runs as a pixel shader, once for each pixel of a target of that size.
// In it, test_position is SV_Position and test_pixel the pixel, (0, 0) being the upper left one. What helper lanes check
// does not count.
//
// Buffers that a case uses stand in lines above it, each case with contents of its own:
//   //# in Data u32: 1,2,3         contents; 7*4 repeats, 0..8 counts
//   //# inout Acc u32[8]           zeros, which the case may change
//   //= Acc u32: 0..8              what must be there after it, unless EXPECT checks that
// An entry point of your own becomes a case with the attribute [test]; a pixel shader needs `//# draw 8x8` above it.
#ifndef WAVELANE_HLSLI
#define WAVELANE_HLSLI

#if __HLSL_VERSION < 2021
#error unit tests need -HV 2021 or later, for templates
#endif

#define TEST_CASE(name) TEST_CASE_N(name, 128, 1, 1)
#define TEST_CASE_N(name, x, y, z) \
    [numthreads(x, y, z)] void name(uint test_index : SV_GroupIndex, uint3 test_thread : SV_GroupThreadID)

#define TEST_DRAW(name, width, height) \
    void name##_of_pixel(float4 test_position, uint2 test_pixel); \
    [shader("pixel")] void name(float4 wavelane_position : SV_Position) { \
        wavelane_pixel = uint2(wavelane_position.xy) + 1; \
        name##_of_pixel(wavelane_position, wavelane_pixel - 1); \
    } \
    void name##_of_pixel(float4 test_position, uint2 test_pixel)

// One more than the column and the row of the pixel in a draw, 0 elsewhere.
static uint2 wavelane_pixel = uint2(0, 0);

// Word 0 counts failures, word 1 checks. The failures start at word 4, with 24 words each: line, lane, type, kind,
// number of the check in the file, wavelane_pixel, an unused word, eight words of the actual value, eight words of the
// expected one.
RWStructuredBuffer<uint> wavelane_log : register(u999, space999);

// The type in the log: the scalar in the low byte, the number of components above it.
#define WAVELANE_TYPE(T, number) \
    uint wavelane_type(T v) { return number | 0x100; } \
    uint wavelane_type(T##2 v) { return number | 0x200; } \
    uint wavelane_type(T##3 v) { return number | 0x300; } \
    uint wavelane_type(T##4 v) { return number | 0x400; }
#define WAVELANE_PUT(T, words) \
    void wavelane_put(uint at, T##2 v) { wavelane_put(at, v.x); wavelane_put(at + words, v.y); } \
    void wavelane_put(uint at, T##3 v) { wavelane_put(at, v.xy); wavelane_put(at + 2 * words, v.z); } \
    void wavelane_put(uint at, T##4 v) { wavelane_put(at, v.xyz); wavelane_put(at + 3 * words, v.w); }

void wavelane_put(uint at, bool v) { wavelane_log[at] = v ? 1 : 0; }
void wavelane_put(uint at, int v) { wavelane_log[at] = (uint)v; }
void wavelane_put(uint at, uint v) { wavelane_log[at] = v; }
void wavelane_put(uint at, float v) { wavelane_log[at] = asuint(v); }
void wavelane_put(uint at, uint64_t v) {
    wavelane_log[at] = (uint)v;
    wavelane_log[at + 1] = (uint)(v >> 32);
}
void wavelane_put(uint at, int64_t v) { wavelane_put(at, (uint64_t)v); }
void wavelane_put(uint at, double v) {
    uint low, high;
    asuint(v, low, high);
    wavelane_log[at] = low;
    wavelane_log[at + 1] = high;
}
WAVELANE_TYPE(bool, 1)
WAVELANE_TYPE(int, 2)
WAVELANE_TYPE(uint, 3)
WAVELANE_TYPE(float, 4)
WAVELANE_TYPE(int64_t, 5)
WAVELANE_TYPE(uint64_t, 6)
WAVELANE_TYPE(double, 7)
WAVELANE_PUT(bool, 1)
WAVELANE_PUT(int, 1)
WAVELANE_PUT(uint, 1)
WAVELANE_PUT(float, 1)
WAVELANE_PUT(int64_t, 2)
WAVELANE_PUT(uint64_t, 2)
WAVELANE_PUT(double, 2)
#if __HLSL_ENABLE_16_BIT
void wavelane_put(uint at, int16_t v) { wavelane_log[at] = (uint)(int)v; }
void wavelane_put(uint at, uint16_t v) { wavelane_log[at] = v; }
void wavelane_put(uint at, float16_t v) { wavelane_log[at] = asuint16(v); }
WAVELANE_TYPE(int16_t, 8)
WAVELANE_TYPE(uint16_t, 9)
WAVELANE_TYPE(float16_t, 10)
WAVELANE_PUT(int16_t, 1)
WAVELANE_PUT(uint16_t, 1)
WAVELANE_PUT(float16_t, 1)
#endif
#undef WAVELANE_TYPE
#undef WAVELANE_PUT

// The line of a check and its number in the file: several checks can stand in one line.
#define WAVELANE_CHECK uint2(__LINE__, __COUNTER__)

template <typename T> void wavelane_record(bool passed, uint2 check, uint kind, T got, T expected) {
    InterlockedAdd(wavelane_log[1], 1u);
    if (!passed) {
        uint slot;
        InterlockedAdd(wavelane_log[0], 1u, slot);
        if (slot < 128) {
            uint at = 4 + 24 * slot;
            wavelane_log[at] = check.x;
            wavelane_log[at + 1] = WaveGetLaneIndex();
            wavelane_log[at + 2] = wavelane_type(got);
            wavelane_log[at + 3] = kind;
            wavelane_log[at + 4] = check.y;
            wavelane_log[at + 5] = wavelane_pixel.x;
            wavelane_log[at + 6] = wavelane_pixel.y;
            wavelane_put(at + 8, got);
            wavelane_put(at + 16, expected);
        }
    }
}

template <typename A, typename B> void wavelane_eq(A got, B expected, uint2 check) {
    wavelane_record<A>(all(got == expected), check, 1, got, (A)expected);
}

template <typename A, typename B> void wavelane_ne(A got, B expected, uint2 check) {
    wavelane_record<A>(any(got != expected), check, 2, got, (A)expected);
}

template <typename A, typename B, typename C> void wavelane_near(A got, B expected, C tolerance, uint2 check) {
    // The difference of equal infinities is a NaN.
    wavelane_record<A>(all(or(abs(got - (A)expected) <= (A)tolerance, got == (A)expected)), check, 3, got, (A)expected);
}

#ifdef __wavelane__
#define ASSERT(condition) __wavelane_assert((condition), #condition)
#else
#define ASSERT(condition)
#endif

#define EXPECT(condition) wavelane_record<bool>(all(condition), WAVELANE_CHECK, 0, false, true)
#define EXPECT_EQ(got, expected) wavelane_eq((got), (expected), WAVELANE_CHECK)
#define EXPECT_NE(got, unexpected) wavelane_ne((got), (unexpected), WAVELANE_CHECK)
#define EXPECT_NEAR(got, expected, tolerance) wavelane_near((got), (expected), (tolerance), WAVELANE_CHECK)

#endif
