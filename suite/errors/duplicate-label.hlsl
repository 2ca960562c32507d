// A value leads to one place.

//--- a-label-twice
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 1: break;
        case 1u: break; //~ error[duplicate-label]: a label with this value
    }
}
