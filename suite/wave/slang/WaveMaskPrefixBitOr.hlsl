// WaveMaskPrefixBitOr gives each lane the bitwise or of the values of the lanes of the mask below it.

//--- wave-mask-prefix-bit-or-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-uint16-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-or-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMaskPrefixBitOr(mask, v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below.hlsli"
