// A function that is called needs a body.

//--- a-prototype-alone
uint f(uint x);
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    f(t); //~ error[undefined-function]: `f` is called but has no body
}
//| FILE:5:5: error: `f` is called but has no body [undefined-function]
//|   |
//| 2 | uint f(uint x);
//|   |      - declared here
//| ...
//| 5 |     f(t);
//|   |     ^^^^
