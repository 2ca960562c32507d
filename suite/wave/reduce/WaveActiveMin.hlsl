// WaveActiveMin gives every active lane the minimum of the active lanes' values; inactive lanes do not count, whatever they hold.

//--- wave-active-min-of-uint
#define T uint
#define IDENTITY 0xffffffff
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-int
#define T int
#define IDENTITY 2147483647
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-uint64
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-int64
#define T int64_t
#define IDENTITY 0x7fffffffffffffffll
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define IDENTITY (uint16_t)0xffff
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-int16
//# args -enable-16bit-types
#define T int16_t
#define IDENTITY (int16_t)0x7fff
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-float
#define T float
#define IDENTITY asfloat(0x7f800000)
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-double
#define T double
#define IDENTITY asdouble(0u, 0x7ff00000u)
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-half
//# args -enable-16bit-types
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define VECTOR
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-min-of-uint64-vectors
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define VECTOR
#define CALL(v) WaveActiveMin(v)
#include "wave/folds/min.hlsli"
#include "wave/folds/all.hlsli"
