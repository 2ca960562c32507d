// A program in the style of the first text about wave operations, of 2015.
//
// Teaches: the names changed before they shipped. They still work here, and a warning gives today's name of each.
//
//   wavelane run examples/draft-names.hlsl --bind 'Out=u32[8]'

RWStructuredBuffer<uint> Out;

[numthreads(8, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    Out[thread] = WaveAllSum(thread);
}
