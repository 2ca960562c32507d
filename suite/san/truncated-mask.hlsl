// Lane masks with fewer bits than the wave has lanes.

//--- san-the-first-word-of-a-ballot
//# args -Wno-narrow-lane-mask
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint bits = countbits(WaveActiveBallot(t % 3 == 0).x); //? truncated-mask: `.y` of the set is never read
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], bits);
}

//--- san-a-ballot-becomes-a-uint
//# args -Wno-narrow-lane-mask -Wno-implicit-truncation
//# widths 64 128
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint mask = (uint)WaveActiveBallot(t % 3 == 0); //? truncated-mask: `.y` of the set is never read
    if (t == 0) Out[0] = mask;
}

//--- san-all-words-of-a-ballot
//# zero Out 4
//= Out u32: 43
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 bits = countbits(WaveActiveBallot(t % 3 == 0));
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], bits.x + bits.y + bits.z + bits.w);
}

//--- san-the-words-of-a-ballot-one-by-one
//# args -Wno-narrow-lane-mask
//# widths 64
//# zero Out 8
//= Out u32: 0xffffffff 0xffffffff
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool yes = t < 64;
    uint low = WaveActiveBallot(yes).x;
    uint high = WaveActiveBallot(yes).y;
    uint none = WaveActiveBallot(yes).z | WaveActiveBallot(yes).w;
    if (t == 0) {
        Out[0] = low | none;
        Out[1] = high;
    }
}

//--- san-a-bit-for-each-lane
//# args -Wno-narrow-lane-mask
//# widths 64 128
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint below = (1u << WaveGetLaneIndex()) - 1; //? truncated-mask: a set of lanes in 32 bits
    Out[t] = countbits(WaveActiveBallot(true).x & below); //? truncated-mask: of the set
}

//--- san-lanes-below-by-counting
//# widths 64 128
//# finds width-dependent-result
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WavePrefixCountBits(true);
}

//--- san-a-part-of-a-set-that-a-variable-keeps
//# widths 64
//# zero Out 256
//# args -Wno-narrow-lane-mask
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 who = WaveActiveBallot(t % 3 == 0);
    uint low = who.x; //? truncated-mask: this uses the set without `.y`
    Out[t] = countbits(low);
}
