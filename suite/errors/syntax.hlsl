// A missing token is reported right after the last valid one.

//--- a-missing-semicolon
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = WaveActiveSum(i) //~ error[syntax]: expected
    uint twice = sum * 2;
}
//| FILE:4:32: error: expected `;` after this declaration [syntax]
//|   |
//| 4 |     uint sum = WaveActiveSum(i)
//|   |                                ^
//|   |
//|   = help: add the `;`
//|   |
//| 4 -     uint sum = WaveActiveSum(i)
//| 4 +     uint sum = WaveActiveSum(i);
