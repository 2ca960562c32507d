// Every opening needs its closing; the report points at the opening.

//--- a-block-that-is-never-closed
[numthreads(4, 1, 1)]
void main() { //~ error[unclosed]:
//| FILE:3:13: error: this bracket has no closing `}` [unclosed]
//|   |
//| 3 | void main() {
//|   |             ^

//--- a-comment-that-is-never-closed
[numthreads(4, 1, 1)] void main() {}
/* and so on //~ error[unclosed]:
//| FILE:3:1: error: this comment is never closed [unclosed]
//|   |
//| 3 | /* and so on
//|   | ^^
//|   |
//|   = help: close it with `*/`
