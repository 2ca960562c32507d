// WavePrefixProduct gives each lane the product of the active lanes below it, without its own value; the lowest receives the identity.

//--- wave-prefix-product-of-uint
#define T uint
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-int
#define T int
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-uint64
#define T uint64_t
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-int64
#define T int64_t
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-float
#define T float
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-double
#define T double
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-half
//# args -enable-16bit-types
#define T float16_t
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define VECTOR
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"

//--- wave-prefix-product-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WavePrefixProduct(v)
#include "wave/folds/product.hlsli"
#include "wave/folds/below.hlsli"
