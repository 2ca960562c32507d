// Every conditional directive is closed in its own file.

//--- a-condition-that-is-never-closed
[numthreads(4, 1, 1)] void main() {}
#ifdef WIDTH //~ error[unbalanced-condition]:
//| FILE:3:1: error: this condition has no `#endif` [unbalanced-condition]
//|   |
//| 3 | #ifdef WIDTH
//|   | ^^^^^^

//--- an-endif-without-an-if
#endif //~ error[unbalanced-condition]:
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:1: error: `#endif` without `#if` [unbalanced-condition]
//|   |
//| 2 | #endif
//|   | ^
