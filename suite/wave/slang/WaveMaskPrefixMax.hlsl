// WaveMaskPrefixMax gives each lane the maximum of the values of the lanes of the mask below it.

//--- wave-mask-prefix-max-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define IDENTITY 0
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define IDENTITY (int)0x80000000
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define IDENTITY 0
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define IDENTITY (int64_t)0x8000000000000000ull
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define IDENTITY 0
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define IDENTITY (int16_t)0x8000
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-float
//# widths 4..32
//# args --dialect slang
#define T float
#define IDENTITY asfloat(0xff800000)
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-double
//# widths 4..32
//# args --dialect slang
#define T double
#define IDENTITY asdouble(0u, 0xfff00000u)
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-half
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0xfc00)
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-half-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0xfc00)
#define VECTOR
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-max-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define IDENTITY 0
#define VECTOR
#define CALL(v) WaveMaskPrefixMax(mask, v)
#include "wave/folds/max.hlsli"
#include "wave/folds/below.hlsli"
