// Group barriers that not all threads reach.

//--- san-a-barrier-under-a-condition
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 2) {
        GroupMemoryBarrierWithGroupSync(); //? divergent-barrier: reach this barrier
    }
    Out[t] = t;
}

//--- san-a-barrier-that-a-whole-wave-skips
//# widths 4..64
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 64) {
        GroupMemoryBarrierWithGroupSync(); //? divergent-barrier: ends without reaching this barrier
    }
    Out[t] = t;
}

//--- san-threads-that-return-before-a-barrier
//# zero Out 512
//= Out u32: 0 1 2
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= 67) return;
    GroupMemoryBarrierWithGroupSync();
    Out[t] = t;
}

//--- san-threads-that-return-are-missing-by-the-letter
//# san --exited-threads=missing
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t >= 67) return;
    GroupMemoryBarrierWithGroupSync(); //? divergent-barrier: this barrier
    Out[t] = t;
}

//--- san-two-barriers-in-a-loop-of-different-lengths
//# zero Out 256
//# finds uninitialized-value
RWStructuredBuffer<uint> Out;
groupshared uint s[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint k = 0; k < t / 16; ++k) {
        s[t] = k;
        GroupMemoryBarrierWithGroupSync(); //? divergent-barrier: and 1 more barrier in the same branch or loop, which follows from the same mistake
        sum += s[63 - t];
        GroupMemoryBarrierWithGroupSync();
    }
    Out[t] = sum;
}
