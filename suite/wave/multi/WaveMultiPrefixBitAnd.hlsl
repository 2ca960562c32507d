// WaveMultiPrefixBitAnd gives each lane the bitwise and of the lanes of its group below it.

//--- wave-multi-prefix-bit-and-of-uint
#define T uint
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-int
#define T int
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-uint64
#define T uint64_t
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-int64
#define T int64_t
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-uint16-vectors
//# args -enable-16bit-types
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-and-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/below-in-group.hlsli"
