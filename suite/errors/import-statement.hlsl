// The `import` statement of the first wave draft never shipped, and is not needed.

//--- the-import-of-the-draft
@import waveOps.h; //~ error[import-statement]:
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:1: error: `@import` is not part of HLSL [import-statement]
//|   |
//| 2 | @import waveOps.h;
//|   | ^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: wave intrinsics are built in and need no import
//|   = help: remove the line
//|   |
//| 2 - @import waveOps.h;
