// What is missing is reported right behind what was in order.

//--- a-missing-semicolon
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = WaveActiveSum(i) //~ error[syntax]: expected
    uint twice = sum * 2;
}
