// A scan in which all lanes of a full wave take part needs no active mask; one in which a lane may be missing does.

//--- whole-waves-add-uint
#define T uint
#define CALL(v) WavePrefixSum(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a + b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-multiply-uint
#define T uint
#define CALL(v) WavePrefixProduct(v)
#define IDENTITY 1
T fold(T a, T b) { return (T)(a * b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-add-int
#define T int
#define CALL(v) WavePrefixSum(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a + b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-multiply-int
#define T int
#define CALL(v) WavePrefixProduct(v)
#define IDENTITY 1
T fold(T a, T b) { return (T)(a * b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-add-uint64
#define T uint64_t
#define CALL(v) WavePrefixSum(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a + b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-multiply-uint64
#define T uint64_t
#define CALL(v) WavePrefixProduct(v)
#define IDENTITY 1
T fold(T a, T b) { return (T)(a * b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-add-int64
#define T int64_t
#define CALL(v) WavePrefixSum(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a + b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-multiply-int64
#define T int64_t
#define CALL(v) WavePrefixProduct(v)
#define IDENTITY 1
T fold(T a, T b) { return (T)(a * b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-add-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WavePrefixSum(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a + b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-multiply-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WavePrefixProduct(v)
#define IDENTITY 1
T fold(T a, T b) { return (T)(a * b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-add-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WavePrefixSum(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a + b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-multiply-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WavePrefixProduct(v)
#define IDENTITY 1
T fold(T a, T b) { return (T)(a * b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-least-uint
//# args --dialect slang
#define T uint
#define CALL(v) WavePrefixMin(v)
#define IDENTITY 0xffffffffu
T fold(T a, T b) { return (T)(a < b ? a : b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-largest-uint
//# args --dialect slang
#define T uint
#define CALL(v) WavePrefixMax(v)
#define IDENTITY 0u
T fold(T a, T b) { return (T)(a < b ? b : a); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-least-int
//# args --dialect slang
#define T int
#define CALL(v) WavePrefixMin(v)
#define IDENTITY 0x7fffffff
T fold(T a, T b) { return (T)(a < b ? a : b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-largest-int
//# args --dialect slang
#define T int
#define CALL(v) WavePrefixMax(v)
#define IDENTITY 0x80000000u
T fold(T a, T b) { return (T)(a < b ? b : a); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-least-uint16
//# args --dialect slang -enable-16bit-types
#define T uint16_t
#define CALL(v) WavePrefixMin(v)
#define IDENTITY 0xffff
T fold(T a, T b) { return (T)(a < b ? a : b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-largest-uint16
//# args --dialect slang -enable-16bit-types
#define T uint16_t
#define CALL(v) WavePrefixMax(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a < b ? b : a); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-least-int16
//# args --dialect slang -enable-16bit-types
#define T int16_t
#define CALL(v) WavePrefixMin(v)
#define IDENTITY 0x7fff
T fold(T a, T b) { return (T)(a < b ? a : b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-find-the-largest-int16
//# args --dialect slang -enable-16bit-types
#define T int16_t
#define CALL(v) WavePrefixMax(v)
#define IDENTITY 0x8000
T fold(T a, T b) { return (T)(a < b ? b : a); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-join-bits-by-and
//# args --dialect slang
#define T uint
#define CALL(v) WavePrefixBitAnd(v)
#define IDENTITY ~0u
T fold(T a, T b) { return (T)(a & b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-join-bits-by-or
//# args --dialect slang
#define T uint
#define CALL(v) WavePrefixBitOr(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a | b); }
#include "wave/folds/whole.hlsli"

//--- whole-waves-join-bits-by-xor
//# args --dialect slang
#define T uint
#define CALL(v) WavePrefixBitXor(v)
#define IDENTITY 0
T fold(T a, T b) { return (T)(a ^ b); }
#include "wave/folds/whole.hlsli"

//--- lanes-that-have-left-for-good-are-not-counted
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint round = 0; round < 2; ++round) {
        if (round == 1) EXPECT_EQ(WavePrefixSum(1u), t / 2);
        if ((t & 1) == 1) return;
    }
    EXPECT_EQ(WavePrefixSum(1u), t / 2);
}

//--- lanes-that-wait-elsewhere-are-not-counted-until-they-are-back
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint rounds = 0;
    while (true) {
        if (rounds > (t & 1)) break;
        EXPECT_EQ(WavePrefixSum(1u), rounds == 0 ? t : t / 2);
        ++rounds;
    }
    EXPECT_EQ(WavePrefixSum(1u), t);
    if ((t & 1) == 0) EXPECT_EQ(WavePrefixSum(2u), t);
    else EXPECT_EQ(WavePrefixProduct(3u) & 3u, (t / 2 & 1) != 0 ? 3 : 1);
    EXPECT_EQ(WavePrefixSum(rounds), t + t / 2);
}

//--- the-last-wave-of-a-group-may-lack-lanes
[numthreads(WIDTH + WIDTH / 2, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WavePrefixSum(1u), WaveGetLaneIndex());
    EXPECT_EQ(WavePrefixSum(t < WIDTH ? 1u : 3u), t < WIDTH ? t : 3 * (t - WIDTH));
}
