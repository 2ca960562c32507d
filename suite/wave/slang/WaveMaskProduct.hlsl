// WaveMaskProduct gives the product of the values of the lanes that the mask names.

//--- wave-mask-product-of-uint
//# widths 4..32
//# args --dialect slang
#define T uint
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-int
//# widths 4..32
//# args --dialect slang
#define T int
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-uint64
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-int64
//# widths 4..32
//# args --dialect slang
#define T int64_t
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-uint16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T uint16_t
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-int16
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T int16_t
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-float
//# widths 4..32
//# args --dialect slang
#define T float
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-double
//# widths 4..32
//# args --dialect slang
#define T double
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-half
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-half-vectors
//# widths 4..32
//# args -enable-16bit-types --dialect slang
#define T float16_t
#define VECTOR
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"

//--- wave-mask-product-of-uint64-vectors
//# widths 4..32
//# args --dialect slang
#define T uint64_t
#define VECTOR
#define CALL(v) WaveMaskProduct(mask, v)
#include "wave/folds/product.hlsli"
#include "wave/folds/all.hlsli"
