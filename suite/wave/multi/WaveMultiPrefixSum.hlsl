// WaveMultiPrefixSum gives each lane the sum of the lanes of its group below it.

//--- wave-multi-prefix-sum-of-uint
#define T uint
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-int
#define T int
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-uint64
#define T uint64_t
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-int64
#define T int64_t
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-float
#define T float
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-double
#define T double
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-half
//# args -enable-16bit-types
#define T float16_t
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-sum-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below-in-group.hlsli"
