// Assertions that fail: `ASSERT` of the built-in header calls this function. The operands are printed as they compared.

//--- assertions-show-the-operands-of-a-comparison
//# zero Out 16
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint before;
    __wavelane_assert(i < 3, "i < 3");
    __wavelane_assert((i & 1) == 0 || i > 1, "(i & 1) == 0 || i > 1");
    __wavelane_assert(i != 2 && i < 9, "100%");
    __wavelane_assert(float2(i, 0.1) >= float2(1, 0), "float2(i, 0.1) >= float2(1, 0)");
    __wavelane_assert((int64_t)i - 3 != -1, "(int64_t)i - 3 != -1");
    __wavelane_assert(bool2(true, i != 0), "bool2(true, i != 0)");
    __wavelane_assert(i, "i");
    InterlockedAdd(Out[i], 1, before);
    __wavelane_assert(before == 0, "before == 0");
    Out[i] += 10;
}
//= Out u32: 11 11 11 11
//> assertion failed: i < 3 with 3 < 3
//> assertion failed: (i & 1) == 0 || i > 1
//> assertion failed: 100%
//> assertion failed: float2(i, 0.1) >= float2(1, 0) with 0, 0.100000001 >= 1, 0
//> assertion failed: (int64_t)i - 3 != -1 with -1 != -1
//> assertion failed: bool2(true, i != 0)
//> assertion failed: i

//--- assertions-that-hold-say-nothing
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    for (uint k = 0; k < i; k++) __wavelane_assert(k < i, "k < i");
    if (i > 3) __wavelane_assert(false, "false");
    if (i == 0) Out[0] = 1;
}
//= Out u32: 1
