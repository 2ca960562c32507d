// Wave sizes are powers of two from 4 to 128, the smallest first.

//--- no-power-of-two
[WaveSize(24)] //~ error[bad-wave-size]: a wave has 4, 8, 16, 32, 64 or 128 lanes, not 24
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:11: error: a wave has 4, 8, 16, 32, 64 or 128 lanes, not 24 [bad-wave-size]
//|   |
//| 2 | [WaveSize(24)]
//|   |           ^^

//--- zero
[WaveSize(0)] //~ error[bad-wave-size]: a wave has 4, 8, 16, 32, 64 or 128 lanes, not 0
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:11: error: a wave has 4, 8, 16, 32, 64 or 128 lanes, not 0 [bad-wave-size]
//|   |
//| 2 | [WaveSize(0)]
//|   |           ^

//--- a-range-that-is-empty
[WaveSize(64, 32)] //~ error[bad-wave-size]: the minimum wave size 64 is larger than the maximum 32
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:15: error: the minimum wave size 64 is larger than the maximum 32 [bad-wave-size]
//|   |
//| 2 | [WaveSize(64, 32)]
//|   |               ^^
//|   |
//|   = help: write the minimum first

//--- a-range-of-one-size
[WaveSize(32, 32)] //~ error[bad-wave-size]: the range of wave sizes from 32 to 32 contains only one size
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:15: error: the range of wave sizes from 32 to 32 contains only one size [bad-wave-size]
//|   |
//| 2 | [WaveSize(32, 32)]
//|   |               ^^
//|   |
//|   = help: write `[WaveSize(32)]`

//--- a-preference-outside-of-the-range
[WaveSize(16, 64, 8)] //~ error[bad-wave-size]: preferred
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:19: error: the preferred wave size must be from 16 to 64, not 8 [bad-wave-size]
//|   |
//| 2 | [WaveSize(16, 64, 8)]
//|   |                   ^

//--- two-that-contradict-each-other
[WaveSize(16)]
[WaveSize(32)] //~ error[bad-wave-size]: contradict
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:1: error: two `WaveSize` attributes contradict each other [bad-wave-size]
//|   |
//| 2 | [WaveSize(16)]
//|   | -------------- the first one
//| 3 | [WaveSize(32)]
//|   | ^^^^^^^^^^^^^^

//--- four-arguments
[WaveSize(4, 8, 8, 8)] //~ error[bad-wave-size]: 1 to 3 arguments
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:1: error: `WaveSize` takes 1 to 3 arguments, not 4 [bad-wave-size]
//|   |
//| 2 | [WaveSize(4, 8, 8, 8)]
//|   | ^^^^^^^^^^^^^^^^^^^^^^

//--- a-power-of-two
//# widths 4
//# zero Out 4
//= Out u32: 4
RWStructuredBuffer<uint> Out;
[WaveSize(4)]
[numthreads(4, 1, 1)] void main() { Out[0] = 4; }
