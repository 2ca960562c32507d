// Names must be declared before they are used.

//--- a-function-by-a-slip-of-the-pen
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveActiveSmu(t); //~ error[unknown-name]: WaveActiveSmu
}
//| FILE:4:14: error: there is no function `WaveActiveSmu` [unknown-name]
//|   |
//| 4 |     uint x = WaveActiveSmu(t);
//|   |              ^^^^^^^^^^^^^
//|   |
//|   = help: a similar name is `WaveActiveSum`
//|   |
//| 4 -     uint x = WaveActiveSmu(t);
//| 4 +     uint x = WaveActiveSum(t);

//--- a-type-that-is-not-there
static flaot x; //~ error[unknown-name]: there is no type `flaot`
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:8: error: there is no type `flaot` [unknown-name]
//|   |
//| 2 | static flaot x;
//|   |        ^^^^^
//|   |
//|   = help: a similar name is `float`
//|   |
//| 2 - static flaot x;
//| 2 + static float x;

//--- a-member-that-a-struct-lacks
struct S { uint count; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S s;
    s.cuont = t; //~ error[unknown-name]: has no member
}
//| FILE:6:7: error: `S` has no member `cuont` [unknown-name]
//|   |
//| 2 | struct S { uint count; };
//|   |        - `S` is declared here
//| ...
//| 6 |     s.cuont = t;
//|   |       ^^^^^
//|   |
//|   = help: a similar name is `count`
//|   |
//| 6 -     s.cuont = t;
//| 6 +     s.count = t;

//--- a-function-that-is-declared-below
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    later(); //~ error[unknown-name]: later
}
void later() {}
//| FILE:4:5: error: there is no function `later` [unknown-name]
//|   |
//| 4 |     later();
//|   |     ^^^^^
//| 5 | }
//| 6 | void later() {}
//|   |      ----- declared only here
//|   |
//|   = help: what is used must be declared above: move it, or write a prototype before
