// Atomic operations on groupshared memory, each on every type, for sets of lanes that name one element, neighbours, or elements
// in any order, with and without the old value.

//--- shared-add-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-add-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-and-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old & a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAnd(place, a, was)
#define SILENT(place, a) InterlockedAnd(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-and-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return old & a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAnd(place, a, was)
#define SILENT(place, a) InterlockedAnd(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-or-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old | a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedOr(place, a, was)
#define SILENT(place, a) InterlockedOr(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-or-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return old | a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedOr(place, a, was)
#define SILENT(place, a) InterlockedOr(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-xor-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old ^ a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedXor(place, a, was)
#define SILENT(place, a) InterlockedXor(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-xor-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return old ^ a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedXor(place, a, was)
#define SILENT(place, a) InterlockedXor(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-i32
//# in Zero u32: 0
#define T int
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-i64
//# in Zero u32: 0
#define T int64_t
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-max-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old > a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMax(place, a, was)
#define SILENT(place, a) InterlockedMax(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-max-of-i32
//# in Zero u32: 0
#define T int
T apply(T old, T a) { return old > a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMax(place, a, was)
#define SILENT(place, a) InterlockedMax(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-max-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return old > a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMax(place, a, was)
#define SILENT(place, a) InterlockedMax(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-max-of-i64
//# in Zero u32: 0
#define T int64_t
T apply(T old, T a) { return old > a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMax(place, a, was)
#define SILENT(place, a) InterlockedMax(place, a)
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-u32
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-u64
//# in Zero u32: 0
#define T uint64_t
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#include "memory/shared-atomic.hlsli"

//--- shared-compare-exchange-of-u32
//# in Zero u32: 0
// Some lanes expect what cells 0 to 3 hold at first.
#define T uint
T comparand(T a) { return (T)(((uint)a & 3) * 37 + 5); }
T apply(T old, T a) { return old == comparand(a) ? a : old; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedCompareExchange(place, comparand(a), a, was)
#define SILENT(place, a) InterlockedCompareStore(place, comparand(a), a)
#include "memory/shared-atomic.hlsli"

//--- shared-compare-exchange-of-u64
//# in Zero u32: 0
// Some lanes expect what cells 0 to 3 hold at first.
#define T uint64_t
T comparand(T a) { return (T)(((uint)a & 3) * 37 + 5); }
T apply(T old, T a) { return old == comparand(a) ? a : old; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedCompareExchange(place, comparand(a), a, was)
#define SILENT(place, a) InterlockedCompareStore(place, comparand(a), a)
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-f32
//# in Zero u32: 0
#define T float
#define BITS(x) asuint(x)
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#include "memory/shared-atomic.hlsli"

//--- shared-compare-exchange-of-f32
//# in Zero u32: 0
#define T float
#define BITS(x) asuint(x)
T comparand(T a) { return (T)((asuint(a) >> 8 & 3) * 37 + 5); }
T apply(T old, T a) { return asuint(old) == asuint(comparand(a)) ? a : old; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedCompareExchangeFloatBitwise(place, comparand(a), a, was)
#define SILENT(place, a) InterlockedCompareStoreFloatBitwise(place, comparand(a), a)
#include "memory/shared-atomic.hlsli"

//--- shared-add-in-a-wave-that-is-not-full
//# in Zero u32: 0
#define T uint
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#define THREADS (3 * WIDTH / 4)
#include "memory/shared-atomic.hlsli"

//--- shared-max-in-a-wave-that-is-not-full
//# in Zero u32: 0
#define T int64_t
T apply(T old, T a) { return old > a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMax(place, a, was)
#define SILENT(place, a) InterlockedMax(place, a)
#define THREADS (3 * WIDTH / 4)
#include "memory/shared-atomic.hlsli"

//--- shared-add-of-u32-beyond-the-end
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#define INDEX(t) ((t) + 2)
#include "memory/shared-atomic.hlsli"

//--- shared-add-of-u32-before-the-start
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#define INDEX(t) ((t) - 2)
#include "memory/shared-atomic.hlsli"

//--- shared-add-of-u32-far-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#define INDEX(t) ((t) % 3 == 0 ? 0x80000000u + (t) : (t) * 3)
#include "memory/shared-atomic.hlsli"

//--- shared-add-of-u32-all-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old + a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedAdd(place, a, was)
#define SILENT(place, a) InterlockedAdd(place, a)
#define INDEX(t) (Zero[0] - 1)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-u32-beyond-the-end
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#define INDEX(t) ((t) + 2)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-u32-before-the-start
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#define INDEX(t) ((t) - 2)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-u32-far-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#define INDEX(t) ((t) % 3 == 0 ? 0x80000000u + (t) : (t) * 3)
#include "memory/shared-atomic.hlsli"

//--- shared-min-of-u32-all-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return old < a ? old : a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedMin(place, a, was)
#define SILENT(place, a) InterlockedMin(place, a)
#define INDEX(t) (Zero[0] - 1)
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-u32-beyond-the-end
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#define INDEX(t) ((t) + 2)
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-u32-before-the-start
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#define INDEX(t) ((t) - 2)
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-u32-far-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#define INDEX(t) ((t) % 3 == 0 ? 0x80000000u + (t) : (t) * 3)
#include "memory/shared-atomic.hlsli"

//--- shared-exchange-of-u32-all-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint
T apply(T old, T a) { return a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedExchange(place, a, was)
#define SILENT(place, a) { T unused; InterlockedExchange(place, a, unused); }
#define INDEX(t) (Zero[0] - 1)
#include "memory/shared-atomic.hlsli"

//--- shared-xor-of-u64-beyond-the-end
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint64_t
T apply(T old, T a) { return old ^ a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedXor(place, a, was)
#define SILENT(place, a) InterlockedXor(place, a)
#define INDEX(t) ((t) + 2)
#include "memory/shared-atomic.hlsli"

//--- shared-xor-of-u64-before-the-start
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint64_t
T apply(T old, T a) { return old ^ a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedXor(place, a, was)
#define SILENT(place, a) InterlockedXor(place, a)
#define INDEX(t) ((t) - 2)
#include "memory/shared-atomic.hlsli"

//--- shared-xor-of-u64-far-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint64_t
T apply(T old, T a) { return old ^ a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedXor(place, a, was)
#define SILENT(place, a) InterlockedXor(place, a)
#define INDEX(t) ((t) % 3 == 0 ? 0x80000000u + (t) : (t) * 3)
#include "memory/shared-atomic.hlsli"

//--- shared-xor-of-u64-all-outside
//# in Zero u32: 0
//# args -Wno-index-out-of-range
//# finds out-of-bounds uninitialized-value
#define T uint64_t
T apply(T old, T a) { return old ^ a; }
#define APPLY(old, a) apply(old, a)
#define OLD(place, a, was) InterlockedXor(place, a, was)
#define SILENT(place, a) InterlockedXor(place, a)
#define INDEX(t) (Zero[0] - 1)
#include "memory/shared-atomic.hlsli"
