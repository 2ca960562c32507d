// Unknown pragmas are ignored, with a warning for each kind.

//--- a-misspelt-pragma
#pragma ones //~ warning[unknown-pragma]: ones
#pragma ones
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}
//| FILE:2:2: warning: `#pragma ones` has no meaning here [unknown-pragma]
//|   |
//| 2 | #pragma ones
//|   |  ^^^^^^^^^^^
//|   |
//|   = note: it is ignored, here and from now on

//--- a-pragma-with-a-slip-of-the-pen
#pragma onec //~ warning[unknown-pragma]: onec
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}
//| FILE:2:2: warning: `#pragma onec` has no meaning here [unknown-pragma]
//|   |
//| 2 | #pragma onec
//|   |  ^^^^^^^^^^^
//|   |
//|   = note: it is ignored, here and from now on
//|   = help: did you mean `#pragma once`?
//|   |
//| 2 - #pragma onec
//| 2 + #pragma once
