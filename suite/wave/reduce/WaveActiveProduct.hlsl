// WaveActiveProduct gives every active lane the product of the active lanes' values; inactive lanes do not count, whatever they hold.

//--- wave-active-product-of-uint
#define T uint
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-int
#define T int
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-uint64
#define T uint64_t
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-int64
#define T int64_t
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-float
#define T float
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-double
#define T double
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-half
//# args -enable-16bit-types
#define T float16_t
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define VECTOR
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-active-product-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveActiveProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"
