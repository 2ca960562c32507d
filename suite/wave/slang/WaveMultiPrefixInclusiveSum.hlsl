// WaveMultiPrefixInclusiveSum gives each lane the sum of the lanes of its group up to and with itself.

//--- wave-multi-prefix-inclusive-sum-of-uint
//# args --dialect slang
#define T uint
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-int
//# args --dialect slang
#define T int
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-uint64
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-int64
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-float
//# args --dialect slang
#define T float
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-double
//# args --dialect slang
#define T double
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-sum-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixInclusiveSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/up-to-in-group.hlsli"
