// Real 16-bit types need a flag.

//--- a-half-without-the-flag
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float16_t h = 1; //~ error[needs-16bit-types]: `float16_t`
}
//| FILE:4:5: error: `float16_t` requires `-enable-16bit-types` [needs-16bit-types]
//|   |
//| 4 |     float16_t h = 1;
//|   |     ^^^^^^^^^
//|   |
//|   = help: compile with `-enable-16bit-types`, or use `min16float` and the like

//--- short-as-slang-writes-it
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    short s = 1; //~ error[needs-16bit-types]: `int16_t`
}
//| FILE:4:5: error: `int16_t` requires `-enable-16bit-types` [needs-16bit-types]
//|   |
//| 4 |     short s = 1;
//|   |     ^^^^^
//|   |
//|   = help: compile with `-enable-16bit-types`, or use `min16float` and the like
