// `#error` makes compilation fail.

//--- a-source-that-refuses
#if WIDTH < 1000
#error this needs wider waves //~ error[error-directive]: this needs wider waves
#endif
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:2: error: this needs wider waves [error-directive]
//|   |
//| 3 | #error this needs wider waves
//|   |  ^^^^^
