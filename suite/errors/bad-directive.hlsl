// An unknown or incomplete directive is reported and skipped.

//--- a-misspelt-directive
#inclide "math.hlsl" //~ error[bad-directive]: inclide
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:2: error: `#inclide` is not a directive [bad-directive]
//|   |
//| 2 | #inclide "math.hlsl"
//|   |  ^^^^^^^
//|   |
//|   = help: did you mean `#include`?
//|   |
//| 2 - #inclide "math.hlsl"
//| 2 + #include "math.hlsl"

//--- a-define-without-a-name
#define //~ error[bad-directive]:
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:8: error: expected the name of a macro after `#define` [bad-directive]
//|   |
//| 2 | #define
//|   |        ^

//--- a-file-in-glsl
#version 450 //~ error[bad-directive]: this looks like GLSL
layout(local_size_x = 64) in;
void main() {}
//| FILE:2:2: error: this looks like GLSL; wavelane reads HLSL [bad-directive]
//|   |
//| 2 | #version 450
//|   |  ^^^^^^^
