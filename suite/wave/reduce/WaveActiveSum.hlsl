// WaveActiveSum gives every active lane the sum of the active lanes' values; inactive lanes do not count, whatever they hold.

//--- wave-active-sum-of-uint
#define T uint
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-int
#define T int
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-uint64
#define T uint64_t
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-int64
#define T int64_t
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-float
#define T float
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-double
#define T double
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-half
//# args -enable-16bit-types
#define T float16_t
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define VECTOR
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-sum-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveActiveSum(v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/all.hlsli"
