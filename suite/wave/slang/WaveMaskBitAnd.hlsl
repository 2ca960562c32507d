// WaveMaskBitAnd gives the bitwise and of the values of the lanes that the mask names.

//--- wave-mask-bit-and-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-uint16-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-bit-and-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMaskBitAnd(mask, v)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all.hlsli"
