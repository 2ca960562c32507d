// WaveActiveMax gives every active lane the maximum of the active lanes' values; inactive lanes do not count, whatever they hold.

//--- wave-active-max-of-uint
#define T uint
#define IDENTITY 0
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-int
#define T int
#define IDENTITY (int)0x80000000
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-uint64
#define T uint64_t
#define IDENTITY 0
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-int64
#define T int64_t
#define IDENTITY (int64_t)0x8000000000000000ull
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define IDENTITY 0
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-int16
//# args -enable-16bit-types
#define T int16_t
#define IDENTITY (int16_t)0x8000
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-float
#define T float
#define IDENTITY asfloat(0xff800000)
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-double
#define T double
#define IDENTITY asdouble(0u, 0xfff00000u)
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-half
//# args -enable-16bit-types
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0xfc00)
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0xfc00)
#define VECTOR
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-max-of-uint64-vectors
#define T uint64_t
#define IDENTITY 0
#define VECTOR
#define CALL(v) WaveActiveMax(v)
#include "wave/folds/max.hlsli"
#include "wave/folds/all.hlsli"
