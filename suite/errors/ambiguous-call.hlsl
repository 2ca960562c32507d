// One overload must be the best.

//--- two-overloads-as-good-as-each-other
void f(int a, float b) {}
void f(float a, int b) {}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    f(1, 1); //~ error[ambiguous-call]: equally well
}
//| FILE:6:5: error: the call of `f` is ambiguous: several overloads match `(literal int, literal int)` equally well [ambiguous-call]
//|   |
//| 2 | void f(int a, float b) {}
//|   |      - `void f(int, float)`
//| 3 | void f(float a, int b) {}
//|   |      - `void f(float, int)`
//| ...
//| 6 |     f(1, 1);
//|   |     ^^^^^^^
//|   |
//|   = help: cast the arguments to select one overload
