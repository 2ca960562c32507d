// Names must be declared before they are used.

//--- a-function-by-a-slip-of-the-pen
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveActiveSmu(t); //~ error[unknown-name]: WaveActiveSmu
}

//--- a-type-that-is-not-there
static flaot x; //~ error[unknown-name]: there is no type `flaot`
[numthreads(4, 1, 1)] void main() {}

//--- a-member-that-a-struct-lacks
struct S { uint count; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S s;
    s.cuont = t; //~ error[unknown-name]: has no member
}

//--- a-function-that-is-declared-below
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    later(); //~ error[unknown-name]: later
}
void later() {}
