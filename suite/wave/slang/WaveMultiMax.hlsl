// WaveMultiMax gives each lane the maximum of its group.

//--- wave-multi-max-of-uint
//# args --dialect slang
#define T uint
#define IDENTITY 0
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-int
//# args --dialect slang
#define T int
#define IDENTITY (int)0x80000000
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-uint64
//# args --dialect slang
#define T uint64_t
#define IDENTITY 0
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-int64
//# args --dialect slang
#define T int64_t
#define IDENTITY (int64_t)0x8000000000000000ull
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define IDENTITY 0
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define IDENTITY (int16_t)0x8000
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-float
//# args --dialect slang
#define T float
#define IDENTITY asfloat(0xff800000)
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-double
//# args --dialect slang
#define T double
#define IDENTITY asdouble(0u, 0xfff00000u)
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0xfc00)
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0xfc00)
#define VECTOR
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-max-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define IDENTITY 0
#define VECTOR
#define CALL(v) WaveMultiMax(v, group)
#include "wave/folds/max.hlsli"
#include "wave/folds/all-in-group.hlsli"
