// A program as the first text about wave operations would have written it, in 2015.
//
// Teaches: the names changed before they shipped. They still work here, and each is told what it is called today.
//
//   wavelane run examples/draft-names.hlsl --bind 'Out=u32[8]'

RWStructuredBuffer<uint> Out;

[numthreads(8, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    Out[thread] = WaveAllSum(thread);
}
