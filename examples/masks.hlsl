// The wave-mask functions of Slang: an argument names the lanes that take part.
//
// Teaches: a mask is portable only if it is exactly the active set, as here in both arms.
//
//   wavelane run examples/masks.hlsl --dialect slang --wave-size 4,8,32 --bind 'Sums=u32[8]'

RWStructuredBuffer<uint> Sums;

[numthreads(8, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    if (thread % 2 == 0) {
        uint even = WaveGetActiveMask();
        Sums[thread] = WaveMaskSum(even, thread);
    } else {
        uint odd = WaveGetActiveMask();
        Sums[thread] = WaveMaskSum(odd, 100 + thread);
    }
}
