// Wave sizes are powers of two from 4 to 128, the smallest first.

//--- no-power-of-two
[WaveSize(24)] //~ error[bad-wave-size]: and this is 24
[numthreads(4, 1, 1)] void main() {}

//--- zero
[WaveSize(0)] //~ error[bad-wave-size]: and this is 0
[numthreads(4, 1, 1)] void main() {}

//--- a-range-that-is-empty
[WaveSize(64, 32)] //~ error[bad-wave-size]: the smallest wave size is 64
[numthreads(4, 1, 1)] void main() {}

//--- a-range-of-one-size
[WaveSize(32, 32)] //~ error[bad-wave-size]: one size only
[numthreads(4, 1, 1)] void main() {}

//--- a-preference-outside-of-the-range
[WaveSize(16, 64, 8)] //~ error[bad-wave-size]: preferred
[numthreads(4, 1, 1)] void main() {}

//--- two-that-contradict-each-other
[WaveSize(16)]
[WaveSize(32)] //~ error[bad-wave-size]: contradict
[numthreads(4, 1, 1)] void main() {}

//--- four-arguments
[WaveSize(4, 8, 8, 8)] //~ error[bad-wave-size]: 1 to 3 arguments
[numthreads(4, 1, 1)] void main() {}
