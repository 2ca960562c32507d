// WaveActiveBitOr gives every active lane the bitwise or of the active lanes' values; inactive lanes do not count, whatever they hold.

//--- wave-active-bit-or-of-uint
#define T uint
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-int
//# args -Wno-dxc-portability
#define T int
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-uint64
#define T uint64_t
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-int64
//# args -Wno-dxc-portability
#define T int64_t
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-uint16
//# args -enable-16bit-types -Wno-dxc-portability
#define T uint16_t
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-int16
//# args -enable-16bit-types -Wno-dxc-portability
#define T int16_t
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-uint16-vectors
//# args -enable-16bit-types -Wno-dxc-portability
#define T uint16_t
#define VECTOR
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-bit-or-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveActiveBitOr(v)
#include "wave/folds/bit-or.hlsli"
#include "wave/folds/all.hlsli"
