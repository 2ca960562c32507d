// Lanes of several selector values in one case.

//--- san-two-labels-share-a-case
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    switch (t % 3) {
    case 0:
    case 1:
        n = WaveActiveCountBits(true); //? switch-convergence: lanes with different selector values
        break;
    default:
        n = 1;
        break;
    }
    Out[t] = n;
}

//--- san-one-case-falls-into-the-next
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    switch (t % 2) {
    case 0:
        n = 100;
    case 1:
        n += WaveActiveCountBits(true); //? switch-convergence: lanes with different selector values
    }
    Out[t] = n;
}

//--- san-each-case-has-one-value
//# san --width-dependent=Out
//# zero Out 512
//= Out u32 @4: 2 2 2 2
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    switch (t % 2) {
    case 0:
        n = WaveActiveCountBits(true);
        break;
    case 1:
        n = WaveActiveCountBits(true);
        break;
    }
    Out[t] = n;
}
