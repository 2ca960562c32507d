// `break` belongs in a loop or a `switch`, `continue` in a loop.

//--- a-break-in-no-loop
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    break; //~ error[misplaced-statement]: `break`
}
//| FILE:4:5: error: `break` outside a loop or `switch` [misplaced-statement]
//|   |
//| 4 |     break;
//|   |     ^^^^^^

//--- a-continue-in-a-switch
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 0: continue; //~ error[misplaced-statement]: `continue`
    }
}
//| FILE:5:17: error: `continue` outside a loop [misplaced-statement]
//|   |
//| 5 |         case 0: continue;
//|   |                 ^^^^^^^^^
