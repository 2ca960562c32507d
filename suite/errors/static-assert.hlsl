// A failed `static_assert` is an error.

//--- words-of-eight-bytes
static_assert(sizeof(uint) == 8, "words have eight bytes"); //~ error[static-assert]: words have eight bytes
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:1: error: static assertion failed: words have eight bytes [static-assert]
//|   |
//| 2 | static_assert(sizeof(uint) == 8, "words have eight bytes");
//|   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |               |
//|   |               this is false
