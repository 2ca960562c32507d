// A look inside a wave: which lanes are active in each iteration, and what they hold.
//
// Teaches: printf prints a line in each lane that executes it, with group, wave and lane. ASSERT of the built-in header
// reports the lanes in which a condition is false.
//
//   wavelane run examples/look-inside.hlsl --bind 'Steps=u32[4]'

#include <wavelane.hlsli>

RWStructuredBuffer<uint> Steps;

[numthreads(4, 1, 1)]
void main(uint thread : SV_GroupIndex) {
    uint n = thread + 1, steps = 0;
    while (n != 1) {
        if (steps == 1)
            printf("n is %u, and %u lanes are in the loop\n", n, WaveActiveCountBits(true));
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
        steps++;
    }
    ASSERT(steps < 10);
    Steps[thread] = steps;
}
