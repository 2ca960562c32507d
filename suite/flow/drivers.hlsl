// Bugs of a GPU driver: generated programs, reduced until nothing more could be removed.

//--- a-loop-in-a-case-with-two-labels-keeps-its-lanes
//# finds switch-convergence
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint rounds = 0, members = 0;
    switch (t & 3) {
    case 2:
    case 3:
        do {
            ++rounds;
            members += WaveActiveCountBits(true);
        } while (rounds < 4 && WaveActiveAnyTrue(true));
    }
    bool takes = (t & 2) != 0;
    EXPECT_EQ(rounds, takes ? 4 : 0);
    EXPECT_EQ(members, takes ? 2 * WIDTH : 0);
}

//--- a-loop-in-a-default-that-falls-through-keeps-its-lanes
//# finds switch-convergence
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint rounds = 0, members = 0;
    switch (t & 3) {
    default:
        do {
            ++rounds;
            members = WaveActiveCountBits(true);
        } while (rounds < 4 && members != 0);
    case 3:
    case 0:
        rounds += 10;
    }
    bool loops = (t & 3) == 1 || (t & 3) == 2;
    EXPECT_EQ(rounds, loops ? 14 : 10);
    EXPECT_EQ(members, loops ? WIDTH / 2 : 0);
}

//--- loops-in-each-other-carry-booleans
//# in Bounds u32: 0 3
StructuredBuffer<uint> Bounds;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint at = 0; at < 2; ++at) {
        bool last = false;
        bool odd = t & 1;
        uint bound = Bounds[at];
        for (uint i = 0; i < bound; ++i)
            for (uint k = 0; k < bound; ++k)
                last = odd;
        EXPECT_EQ(last, at == 1 && odd);
    }
}

//--- a-loop-that-never-runs-carries-a-boolean-past-another
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool last = false, odd = t & 1;
    uint bound = 0;
    for (uint i = 0; i < bound; ++i)
        for (uint k = 0; k < bound; ++k)
            last = odd;
    EXPECT_EQ(last, false);
}

//--- the-smaller-of-numbers-whose-signs-are-known
// The remainder triggers the driver's optimisation of the rest.
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lane = WaveGetLaneIndex();
    int below = -int(t & 13), above = int(lane & 15);
    EXPECT_EQ(min(0, min(below, above)), below);
    int smaller = below < above ? below : above;
    EXPECT_EQ(0 < smaller ? 0 : smaller, below);
    uint64_t wide = lane;
    EXPECT_EQ(uint((min(wide, uint64_t(t & 7)) - wide) >> 32), lane > (t & 7) ? 0xffffffff : 0);
    EXPECT_EQ(uint((max(wide, uint64_t(t & 7)) - wide) >> 32), 0);
    EXPECT_EQ(fmod(float(lane), 16.0), float(lane % 16));
}

//--- the-smallest-short-is-its-own-negative
//# args -enable-16bit-types --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int16_t least = WavePrefixMax((int16_t)13);
    EXPECT_EQ(int(-least), t == 0 ? -32768 : -13);
    EXPECT_EQ(int(-int16_t(t << 15)), t & 1 ? -32768 : 0);
    EXPECT_EQ(int(int16_t(0 - int16_t(t << 15))), t & 1 ? -32768 : 0);
    EXPECT_EQ(int(int16_t(~int16_t(t << 15) + 1)), t & 1 ? -32768 : 0);
}

//--- a-half-that-is-used-as-a-float-has-been-rounded
//# args -enable-16bit-types
//# in Floats f32: 0.3333 1e-6 65519 3.1e-5 1e-10
StructuredBuffer<float> Floats;
[numthreads(WIDTH, 1, 1)]
void main() {
    float16_t third = (float16_t)Floats[0], tiny = (float16_t)Floats[1], large = (float16_t)Floats[2];
    EXPECT_EQ(asuint((float)sqrt(third)), 0x3f13c000);
    EXPECT_EQ(asuint((float)(tiny / (float16_t)3)), 0x34c00000);
    EXPECT_EQ((float)large, 65504.0);
    EXPECT_EQ((float)ceil((float16_t)Floats[4]), 0.0);
    EXPECT_EQ((float)(float16_t)Floats[3], asfloat(0x38020000));
}

//--- tiny-floats-are-kept-where-doubles-are-computed-with
//# args -denorm preserve
//# in Floats f32: 5.877471754111438e-39 0
StructuredBuffer<float> Floats;
[numthreads(WIDTH, 1, 1)]
void main() {
    float tiny = Floats[0];
    EXPECT_EQ(asuint(rsqrt(tiny)), 0x5f3504f3);
    EXPECT_EQ(asuint((float)((double)tiny * 2.0)), 0x00800000);
    EXPECT_EQ(tiny > Floats[1], true);
    EXPECT_EQ(asuint(max(tiny, Floats[1])), 0x00400000);
    EXPECT_EQ(asuint(ceil(tiny)), 0x3f800000);
}

//--- written-elements-are-read-again-beside-read-only-ones
//# in Only u32: 0 1
//# zero Both 2048
StructuredBuffer<uint> Only;
RWStructuredBuffer<uint> Both;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Both[4 * t] = Only[0] + 1;
    Both[4 * t + 1] = Only[1] + Both[4 * t];
    Both[4 * t + 2] = Only[0] + 2;
    Both[4 * t + 3] = Only[1] + Both[4 * t + 2];
    EXPECT_EQ(Both[4 * t + 1], 2);
    EXPECT_EQ(Both[4 * t + 3], 3);
}

//--- a-shuffled-constant-less-something-has-its-sign
// An assembler that learned of the constant late computed `max(lane - 1, 0)` for `max(1 - lane, 0)`.
//# zero Log 512
RWStructuredBuffer<uint> Log;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lane = WaveGetLaneIndex();
    int less = 1 - (int)lane;
    EXPECT_EQ(Log[t] + max(0u, WaveReadLaneFirst(1u) - lane), (uint)less);
    EXPECT_EQ((int)Log[t] + max(0, WaveReadLaneFirst(1) - (int)lane), lane == 0 ? 1 : 0);
    EXPECT_EQ((int)Log[t] + min(0, WaveReadLaneAt(1, 2) - (int)lane), lane == 0 ? 0 : less);
    EXPECT_EQ((int)Log[t] + max(0, WaveActiveProduct(1) - (int)lane), lane == 0 ? 1 : 0);
    EXPECT_EQ((int)Log[t] + max(0, QuadReadAcrossX(1) - (int)lane), lane == 0 ? 1 : 0);
}
