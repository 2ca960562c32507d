// Template arguments must fit the template.

//--- arguments-in-the-wrong-order
template<typename T, uint N> struct Stack { T items[N]; };
static Stack<4, uint> s; //~ error[bad-template]: expected a type
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:14: error: expected a type [bad-template]
//|   |
//| 3 | static Stack<4, uint> s;
//|   |              ^
