// A shift by as many bits as there are: HLSL takes the count modulo 32, other languages do not.

//--- san-a-lane-mask-by-a-shift
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = 1u << t; //? shift-out-of-range: the width of the type
}

//--- san-a-bit-of-one-of-two-words
//# zero Out 256
//= Out u32: 1 2 4 8 16 32 64 128
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = 1u << (t & 31);
}
