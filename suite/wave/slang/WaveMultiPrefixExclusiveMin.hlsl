// WaveMultiPrefixExclusiveMin gives each lane the minimum of the lanes of its group below it.

//--- wave-multi-prefix-exclusive-min-of-uint
//# args --dialect slang
#define T uint
#define IDENTITY 0xffffffff
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-int
//# args --dialect slang
#define T int
#define IDENTITY 2147483647
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-uint64
//# args --dialect slang
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-int64
//# args --dialect slang
#define T int64_t
#define IDENTITY 0x7fffffffffffffffll
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define IDENTITY (uint16_t)0xffff
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define IDENTITY (int16_t)0x7fff
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-float
//# args --dialect slang
#define T float
#define IDENTITY asfloat(0x7f800000)
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-double
//# args --dialect slang
#define T double
#define IDENTITY asdouble(0u, 0x7ff00000u)
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define VECTOR
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-min-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define VECTOR
#define CALL(v) WaveMultiPrefixExclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- a-scan-of-nan-alone-is-nan-and-an-empty-one-is-not
//# args -enable-16bit-types --dialect slang
[numthreads(WIDTH, 1, 1)]
void main() {
    uint lane = WaveGetLaneIndex();
    uint4 group = WaveActiveBallot(true);
    float single = asfloat(lane < 3 ? 0x7fc00000u : 0x3f800000u);
    uint after = lane < 4 ? 0x7fc00000u : 0x3f800000u;
    EXPECT_EQ(asuint(WaveMultiPrefixExclusiveMin(single, group)), lane == 0 ? 0x7f800000u : after);
    EXPECT_EQ(asuint(WaveMultiPrefixExclusiveMax(single, group)), lane == 0 ? 0xff800000u : after);
    EXPECT_EQ(asuint(WavePrefixMin(single)), lane == 0 ? 0x7f800000u : after);
    EXPECT_EQ(asuint((float)WaveMultiPrefixExclusiveMin((float16_t)single, group)), lane == 0 ? 0x7f800000u : after);
    double wide = single;
    uint low, high;
    asuint(WaveMultiPrefixExclusiveMax(wide, group), low, high);
    EXPECT_EQ(high, lane == 0 ? 0xfff00000u : lane < 4 ? 0x7ff80000u : 0x3ff00000u);
    EXPECT_EQ(low, 0);
}
