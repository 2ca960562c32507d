// WaveMaskPrefixBitXor gives each lane the bitwise exclusive or of the values of the lanes of the mask below it.

//--- wave-mask-prefix-bit-xor-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-uint16-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-mask-prefix-bit-xor-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMaskPrefixBitXor(mask, v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"
