// WaveMaskPrefixMin gives each lane the minimum of the values of the lanes of the mask below it.

//--- wave-mask-prefix-min-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define IDENTITY 0xffffffff
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define IDENTITY 2147483647
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define IDENTITY 0x7fffffffffffffffll
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define IDENTITY (uint16_t)0xffff
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define IDENTITY (int16_t)0x7fff
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-float
//# widths 4..32
//# args --dialect slang
#define T float
#define IDENTITY asfloat(0x7f800000)
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-double
//# widths 4..32
//# args --dialect slang
#define T double
#define IDENTITY asdouble(0u, 0x7ff00000u)
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-half
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-half-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define IDENTITY asfloat16((uint16_t)0x7c00)
#define VECTOR
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-min-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define IDENTITY ~(uint64_t)0
#define VECTOR
#define CALL(v) WaveMaskPrefixMin(mask, v)
#include "wave/folds/min.hlsli"
#include "wave/folds/below.hlsli"
