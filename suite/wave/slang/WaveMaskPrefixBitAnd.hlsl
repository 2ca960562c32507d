// WaveMaskPrefixBitAnd gives each lane the bitwise and of the values of the lanes of the mask below it.

//--- wave-mask-prefix-bit-and-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-uint16-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-and-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMaskPrefixBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below.hlsli"
