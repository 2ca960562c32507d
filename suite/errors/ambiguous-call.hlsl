// One overload must be the best.

//--- two-overloads-as-good-as-each-other
void f(int a, float b) {}
void f(float a, int b) {}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    f(1, 1); //~ error[ambiguous-call]: equally well
}
