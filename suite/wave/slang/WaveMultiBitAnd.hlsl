// WaveMultiBitAnd gives each lane the bitwise and of its group.

//--- wave-multi-bit-and-of-uint
//# args --dialect slang
#define T uint
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-int
//# args --dialect slang
#define T int
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-uint64
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-int64
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-uint16-vectors
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define VECTOR
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"

//--- wave-multi-bit-and-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiBitAnd(v, group)
#include "wave/folds/bit-and.hlsli"
#include "wave/folds/all-in-group.hlsli"
