// WavePrefixBitXor gives each lane the bitwise exclusive or of the active lanes below it, without its own value; the lowest receives the identity.

//--- wave-prefix-bit-xor-of-uint
//# args --dialect slang
#define T uint
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-int
//# args --dialect slang
#define T int
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-uint64
//# args --dialect slang
#define T uint64_t
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-int64
//# args --dialect slang
#define T int64_t
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-uint16-vectors
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-bit-xor-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WavePrefixBitXor(v)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below.hlsli"
