// WaveMaskPrefixSum gives each lane the sum of the values of the lanes of the mask below it.

//--- wave-mask-prefix-sum-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-float
//# widths 4..32
//# args --dialect slang
#define T float
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-double
//# widths 4..32
//# args --dialect slang
#define T double
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-half
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-half-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define VECTOR
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-sum-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMaskPrefixSum(mask, v)
#include "wave/folds/sum.hlsli"
#include "wave/folds/below.hlsli"
