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
