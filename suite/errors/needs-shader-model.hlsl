// Functions that came later.

//--- match-before-6-5
//# args -T cs_6_4
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 m = WaveMatch(t); //~ error[needs-shader-model]: needs shader model 6.5
}

//--- a-wave-size-before-6-6
//# args -T cs_6_5
[WaveSize(32)] //~ error[needs-shader-model]: 6.6
[numthreads(4, 1, 1)] void main() {}

//--- a-range-before-6-8
//# args -T cs_6_6
[WaveSize(16, 32)] //~ error[needs-shader-model]: 6.8
[numthreads(4, 1, 1)] void main() {}
