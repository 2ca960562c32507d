// WaveMultiPrefixInclusiveProduct gives each lane the product of the lanes of its group up to and with itself.

//--- wave-multi-prefix-inclusive-product-of-uint
//# args --dialect slang
#define T uint
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-int
//# args --dialect slang
#define T int
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-uint64
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-int64
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-uint16
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-int16
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-float
//# args --dialect slang
#define T float
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-double
//# args --dialect slang
#define T double
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-half
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-half-vectors
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define VECTOR
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"

//--- wave-multi-prefix-inclusive-product-of-uint64-vectors
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMultiPrefixInclusiveProduct(v, group)
#include "wave/folds/product.hlsli"
#include "wave/folds/up-to-in-group.hlsli"
