// What leaves a loop stands in one.

//--- a-break-in-no-loop
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    break; //~ error[misplaced-statement]: `break`
}

//--- a-continue-in-a-switch
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    switch (t) {
        case 0: continue; //~ error[misplaced-statement]: `continue`
    }
}
