// EXPECT and EXPECT_EQ for the suite. Plain HLSL, so that the same sections run on real GPUs.
// A failing lane leaves its line, its lane index and the bits of both values in `suite_log`;
// every lane that checked anything is counted, since a section that checked nothing has not passed.
#ifndef SUITE_PRELUDE
#define SUITE_PRELUDE

// Word 0: failures. Word 1: checks. From word 4 on, eight words for each failure.
RWStructuredBuffer<uint> suite_log : register(u999, space999);

void suite_record(bool passed, uint line, uint4 got, uint4 expected) {
    InterlockedAdd(suite_log[1], 1u);
    if (!passed) {
        uint slot;
        InterlockedAdd(suite_log[0], 1u, slot);
        if (slot < 64) {
            uint at = 4 + 8 * slot;
            suite_log[at] = line;
            suite_log[at + 1] = WaveGetLaneIndex();
            suite_log[at + 2] = got.x;
            suite_log[at + 3] = got.y;
            suite_log[at + 4] = expected.x;
            suite_log[at + 5] = expected.y;
        }
    }
}

uint4 suite_bits(bool v) { return uint4(v ? 1 : 0, 0, 0, 0); }
uint4 suite_bits(bool2 v) { return uint4(v.x ? 1 : 0, v.y ? 1 : 0, 0, 0); }
uint4 suite_bits(bool3 v) { return uint4(v.x ? 1 : 0, v.y ? 1 : 0, v.z ? 1 : 0, 0); }
uint4 suite_bits(bool4 v) { return uint4(v.x ? 1 : 0, v.y ? 1 : 0, v.z ? 1 : 0, v.w ? 1 : 0); }
uint4 suite_bits(int v) { return uint4(v, 0, 0, 0); }
uint4 suite_bits(uint v) { return uint4(v, 0, 0, 0); }
uint4 suite_bits(uint2 v) { return uint4(v, 0, 0); }
uint4 suite_bits(uint3 v) { return uint4(v, 0); }
uint4 suite_bits(uint4 v) { return v; }
uint4 suite_bits(int2 v) { return uint4(v, 0, 0); }
uint4 suite_bits(int3 v) { return uint4(v, 0); }
uint4 suite_bits(int4 v) { return uint4(v); }
uint4 suite_bits(int64_t v) { return uint4((uint)v, (uint)(v >> 32), 0, 0); }
uint4 suite_bits(uint64_t v) { return uint4((uint)v, (uint)(v >> 32), 0, 0); }
uint4 suite_bits(float v) { return uint4(asuint(v), 0, 0, 0); }
uint4 suite_bits(float2 v) { return uint4(asuint(v), 0, 0); }
uint4 suite_bits(float3 v) { return uint4(asuint(v), 0); }
uint4 suite_bits(float4 v) { return asuint(v); }
uint4 suite_bits(double v) {
    uint low, high;
    asuint(v, low, high);
    return uint4(low, high, 0, 0);
}
#if __HLSL_ENABLE_16_BIT
uint4 suite_bits(uint16_t v) { return uint4(v, 0, 0, 0); }
uint4 suite_bits(int16_t v) { return uint4((uint)(int)v, 0, 0, 0); }
uint4 suite_bits(float16_t v) { return uint4(asuint16(v), 0, 0, 0); }
#endif

#define EXPECT(condition) suite_record((condition), __LINE__, uint4(0, 0, 0, 0), uint4(1, 0, 0, 0))

// HLSL 2018 has no templates: sections for it make do with EXPECT.
#if __HLSL_VERSION >= 2021
#define EXPECT_EQ(a, b) suite_expect_eq((a), (b), __LINE__)

template <typename A, typename B> void suite_expect_eq(A got, B expected, uint line) {
    suite_record(all(got == expected), line, suite_bits(got), suite_bits((A)expected));
}
#endif

#endif
