// WaveMultiPrefixBitXor gives each lane the bitwise exclusive or of the lanes of its group below it.

//--- wave-multi-prefix-bit-xor-of-uint
#define T uint
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-int
#define T int
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-uint64
#define T uint64_t
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-int64
#define T int64_t
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-uint16-vectors
//# args -enable-16bit-types
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-xor-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixBitXor(v, group)
#include "wave/folds/bit-xor.hlsli"
#include "wave/folds/below-in-group.hlsli"
