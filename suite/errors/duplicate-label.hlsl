// Each `case` value labels one case.

//--- a-label-twice
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 1: break;
        case 1u: break; //~ error[duplicate-label]: a label with this value
    }
}
//| FILE:6:9: error: this `switch` already has a label with this value [duplicate-label]
//|   |
//| 5 |         case 1: break;
//|   |         ------- the first one
//| 6 |         case 1u: break;
//|   |         ^^^^^^^^
