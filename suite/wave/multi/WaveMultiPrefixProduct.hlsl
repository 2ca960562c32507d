// WaveMultiPrefixProduct gives each lane the product of the lanes of its group below it.

//--- wave-multi-prefix-product-of-uint
#define T uint
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-int
#define T int
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-uint64
#define T uint64_t
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-int64
#define T int64_t
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-uint16
//# args -enable-16bit-types
#define T uint16_t
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-int16
//# args -enable-16bit-types
#define T int16_t
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-float
#define T float
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-double
#define T double
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-half
//# args -enable-16bit-types
#define T float16_t
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-half-vectors
//# args -enable-16bit-types
#define T float16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"

//--- wave-multi-prefix-product-of-uint64-vectors
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/below-in-group.hlsli"
