// WaveMultiPrefixInclusiveMin gives each lane the minimum of the lanes of its group up to and with itself.

//--- wave-multi-prefix-inclusive-min-of-uint
//# args --dialect slang
#define T uint
#define IDENTITY 0xffffffff
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-int
//# args --dialect slang
#define T int
#define IDENTITY 2147483647
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-uint64
//# args --dialect slang
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-int64
//# args --dialect slang
#define T int64_t
#define IDENTITY 0x7fffffffffffffffll
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define IDENTITY (uint16_t)0xffff
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define IDENTITY (int16_t)0x7fff
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-float
//# args --dialect slang
#define T float
#define IDENTITY asfloat(0x7f800000)
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-double
//# args --dialect slang
#define T double
#define IDENTITY asdouble(0u, 0x7ff00000u)
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define VECTOR
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-min-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define VECTOR
#define CALL(v) WaveMultiPrefixInclusiveMin(v, group)
#include "wave/folds/min.hlsli"
#include "wave/folds/up-to-in-group.hlsli"
