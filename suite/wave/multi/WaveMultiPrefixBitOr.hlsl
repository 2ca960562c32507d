// WaveMultiPrefixBitOr gives each lane the bitwise or of the lanes of its group below it.

//--- wave-multi-prefix-bit-or-of-uint
#define T uint
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-int
#define T int
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-uint64
#define T uint64_t
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-int64
#define T int64_t
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-uint16-vectors
//# args -enable-16bit-types
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-bit-or-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"
