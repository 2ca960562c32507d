// WaveMultiPrefixExclusiveBitOr gives each lane the bitwise or of the lanes of its group below it.

//--- wave-multi-prefix-exclusive-bit-or-of-uint
//# args --dialect slang
#define T uint
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-int
//# args --dialect slang
#define T int
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-uint64
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-int64
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-uint16-vectors
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-exclusive-bit-or-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixExclusiveBitOr(v, group)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/below-in-group.hlsli"
