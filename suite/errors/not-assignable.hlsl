// Only variables and elements of writable buffers can be written.

//--- a-buffer-that-is-read-only
StructuredBuffer<uint> input;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    input[t] = 1; //~ error[not-assignable]: cannot be written
}
//| FILE:5:5: error: a `StructuredBuffer<uint>` cannot be written [not-assignable]
//|   |
//| 2 | StructuredBuffer<uint> input;
//|   |                        ----- declared here
//| ...
//| 5 |     input[t] = 1;
//|   |     ^^^^^^^^ assigned here

//--- a-component-twice
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = 0;
    v.xx = 1; //~ error[not-assignable]: this swizzle repeats a component
}
//| FILE:5:5: error: this swizzle repeats a component, so it cannot be written [not-assignable]
//|   |
//| 5 |     v.xx = 1;
//|   |     ^^^^ assigned here

//--- an-atomic-on-a-variable-of-one-lane
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    InterlockedAdd(sum, t); //~ error[not-assignable]: lanes share
}
//| FILE:5:20: error: an atomic operation needs memory that lanes share, but this is private to a lane [not-assignable]
//|   |
//| 5 |     InterlockedAdd(sum, t);
//|   |                    ^^^
//|   |
//|   = help: use a groupshared variable or an element of a writable buffer

//--- a-sample-of-a-texture-that-is-read-only
Texture2DMS<uint> image;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    image.sample[1][uint2(t, 0)] = 1; //~ error[not-assignable]: a `Texture2DMS<uint>` cannot be written
}
//| FILE:5:5: error: a `Texture2DMS<uint>` cannot be written [not-assignable]
//|   |
//| 2 | Texture2DMS<uint> image;
//|   |                   ----- declared here
//| ...
//| 5 |     image.sample[1][uint2(t, 0)] = 1;
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^ assigned here

//--- an-atomic-on-a-sample
//# args -T cs_6_7
RWTexture2DMS<uint> image;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    InterlockedAdd(image.sample[1][uint2(0, 0)], t); //~ error[not-assignable]: an atomic operation cannot change a multisampled texture
    InterlockedAdd(image[uint2(0, 0)], t); //~ error[not-assignable]: an atomic operation cannot change a multisampled texture
}
//| FILE:6:20: error: an atomic operation cannot change a multisampled texture [not-assignable]
//|   |
//| 6 |     InterlockedAdd(image.sample[1][uint2(0, 0)], t);
//|   |                    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: use an `RWTexture2DArray` with a layer for each sample
//|
//| FILE:7:20: error: an atomic operation cannot change a multisampled texture [not-assignable]
//|   |
//| 7 |     InterlockedAdd(image[uint2(0, 0)], t);
//|   |                    ^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: use an `RWTexture2DArray` with a layer for each sample
