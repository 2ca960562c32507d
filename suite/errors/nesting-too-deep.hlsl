// Nesting is limited, so that no input exhausts the stack.

//--- a-tower-of-parentheses
static const int x = ((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1)))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))))); //~ error[nesting-too-deep]:
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:279: error: this stands more than 256 levels deep in other constructs [nesting-too-deep]
//|   |
//| 2 | …((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((…
//|   |                                          ^

//--- a-default-argument-that-calls-its-own-function
bool yes(bool a = true) { return a; }
bool no(bool a = no() && yes()) { return false; } //~ error[nesting-too-deep]: default arguments call each other more than 32 levels deep
[numthreads(4, 1, 1)] void main() { bool a = no(); }
//| FILE:2:19: error: default arguments call each other more than 32 levels deep [nesting-too-deep]
//|   |
//| 2 | bool yes(bool a = true) { return a; }
//|   |                   ^^^^
//|
//| FILE:3:18: error: default arguments call each other more than 32 levels deep [nesting-too-deep]
//|   |
//| 3 | bool no(bool a = no() && yes()) { return false; }
//|   |                  ^^^^^^^^^^^^^
