// WaveMultiSum gives each lane the sum of its group.

//--- wave-multi-sum-of-uint
//# args --dialect slang
#define T uint
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-int
//# args --dialect slang
#define T int
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-uint64
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-int64
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-float
//# args --dialect slang
#define T float
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-double
//# args --dialect slang
#define T double
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define VECTOR
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-sum-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiSum(v, group)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all-in-group.hlsli"
