// Not everything converts to everything.

//--- a-number-where-a-struct-is-wanted
struct Ray { float3 origin; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Ray r = 1; //~ error[type-mismatch]: does not convert to `Ray`
}
//| FILE:5:13: error: `literal int` does not convert to `Ray` [type-mismatch]
//|   |
//| 5 |     Ray r = 1;
//|   |             ^ this is `literal int`
//|   |
//|   = help: cast it if this is intended: `(Ray)…`

//--- too-few-components
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = float2(1, 2); //~ error[type-mismatch]: `float2` does not convert to `float4`
}
//| FILE:4:16: error: `float2` does not convert to `float4` [type-mismatch]
//|   |
//| 4 |     float4 v = float2(1, 2);
//|   |                ^^^^^^^^^^^^ this is `float2`

//--- a-value-from-a-function-that-returns-nothing
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    return t; //~ error[type-mismatch]: the function returns `void`, so `return` cannot have a value
}
//| FILE:4:12: error: the function returns `void`, so `return` cannot have a value [type-mismatch]
//|   |
//| 3 | void main(uint t : SV_GroupIndex) {
//|   | ---- the function's type
//| 4 |     return t;
//|   |            ^

//--- a-condition-of-no-value-before-hlsl-2021
//# args -HV 2018
void nothing() {}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint picked = nothing() ? 8 : 2; //~ error[type-mismatch]: `void` does not convert to `bool`
}
//| FILE:6:19: error: `void` does not convert to `bool` [type-mismatch]
//|   |
//| 6 |     uint picked = nothing() ? 8 : 2;
//|   |                   ^^^^^^^^^ this is `void`

//--- a-buffer-of-arrays-without-a-length
RWStructuredBuffer<uint[]> Pairs; //~ error[type-mismatch]: the elements of `Pairs` have no size: `uint[]` holds no values
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Pairs[t][0] = t;
}
//| FILE:2:28: error: the elements of `Pairs` have no size: `uint[]` holds no values [type-mismatch]
//|   |
//| 2 | RWStructuredBuffer<uint[]> Pairs;
//|   |                            ^^^^^
//|   |
//|   = help: give the array a length, or the struct a member

//--- a-buffer-of-empty-structs
struct Nothing {};
StructuredBuffer<Nothing> Marks; //~ error[type-mismatch]: the elements of `Marks` have no size: `Nothing` holds no values
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Nothing mark = Marks[t];
}
//| FILE:3:27: error: the elements of `Marks` have no size: `Nothing` holds no values [type-mismatch]
//|   |
//| 3 | StructuredBuffer<Nothing> Marks;
//|   |                           ^^^^^
//|   |
//|   = help: give the array a length, or the struct a member

//--- long-vectors-that-a-host-would-set
//# args -T cs_6_9
struct Weights { float4 bias; vector<float, 8> all; };
vector<float, 8> loose; //~ error[type-mismatch]: a member of a constant buffer cannot be a `vector<float, 8>`
cbuffer Set { Weights weights[2]; } //~ error[type-mismatch]: a member of a constant buffer cannot contain a vector of more than 4 components, as `Weights[2]` does
ConstantBuffer<Weights> constants; //~ error[type-mismatch]: a `ConstantBuffer` cannot contain a vector of more than 4 components, as `Weights` does
[numthreads(WIDTH, 1, 1)]
void main() {}
//| FILE:4:18: error: a member of a constant buffer cannot be a `vector<float, 8>` [type-mismatch]
//|   |
//| 4 | vector<float, 8> loose;
//|   |                  ^^^^^
//|   |
//|   = help: use an array, or several vectors of up to 4 components
//|
//| FILE:5:23: error: a member of a constant buffer cannot contain a vector of more than 4 components, as `Weights[2]` does [type-mismatch]
//|   |
//| 5 | cbuffer Set { Weights weights[2]; }
//|   |                       ^^^^^^^
//|   |
//|   = help: use an array, or several vectors of up to 4 components
//|
//| FILE:6:1: error: a `ConstantBuffer` cannot contain a vector of more than 4 components, as `Weights` does [type-mismatch]
//|   |
//| 6 | ConstantBuffer<Weights> constants;
//|   | ^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: use an array, or several vectors of up to 4 components

//--- long-vectors-between-stages
//# args -T lib_6_9
struct Vertex { float4 at : SV_Position; vector<float, 8> all : ALL; };
[shader("vertex")]
Vertex main( //~ error[type-mismatch]: the result of an entry point cannot contain a vector of more than 4 components, as `Vertex` does
    vector<float, 5> all : ALL) { //~ error[type-mismatch]: a parameter of an entry point cannot be a `vector<float, 5>`
    return (Vertex)0;
}
//| FILE:5:8: error: the result of an entry point cannot contain a vector of more than 4 components, as `Vertex` does [type-mismatch]
//|   |
//| 5 | Vertex main(
//|   |        ^^^^
//|   |
//|   = help: use an array, or several vectors of up to 4 components
//|
//| FILE:6:22: error: a parameter of an entry point cannot be a `vector<float, 5>` [type-mismatch]
//|   |
//| 6 |     vector<float, 5> all : ALL) {
//|   |                      ^^^
//|   |
//|   = help: use an array, or several vectors of up to 4 components

//--- bits-of-a-float
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float f = t;
    uint a = f & t; //~ error[type-mismatch]: `&` cannot be applied to `float` and `uint`
    f <<= 1; //~ error[type-mismatch]: `<<=` cannot be applied to `float` and `literal int`
    uint b = ~f; //~ error[type-mismatch]: `~` works on integers, not on `float`
}
//| FILE:5:16: error: `&` cannot be applied to `float` and `uint` [type-mismatch]
//|   |
//| 5 |     uint a = f & t;
//|   |              - ^ - `uint`
//|   |              |
//|   |              `float`
//|   |
//|   = help: `asuint(…)` gives the bits of a float, and `(int)…` its value without the fraction
//|
//| FILE:6:7: error: `<<=` cannot be applied to `float` and `literal int` [type-mismatch]
//|   |
//| 6 |     f <<= 1;
//|   |     - ^^^ - `literal int`
//|   |     |
//|   |     `float`
//|   |
//|   = help: `asuint(…)` gives the bits of a float, and `(int)…` its value without the fraction
//|
//| FILE:7:15: error: `~` works on integers, not on `float` [type-mismatch]
//|   |
//| 7 |     uint b = ~f;
//|   |               ^
//|   |
//|   = help: `asuint(…)` gives the bits of a float, and `(int)…` its value without the fraction
