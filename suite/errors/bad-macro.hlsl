// Macros are invoked with the arguments that they declare.

//--- a-macro-with-too-few-arguments
#define MAX3(a, b, c) max(a, max(b, c))
static const int m = MAX3(1, 2); //~ error[bad-macro]: MAX3
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:22: error: macro `MAX3` takes 3 arguments, but 2 were given [bad-macro]
//|   |
//| 2 | #define MAX3(a, b, c) max(a, max(b, c))
//|   |         ---- defined here
//| 3 | static const int m = MAX3(1, 2);
//|   |                      ^^^^^^^^^^
