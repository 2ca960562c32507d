// Conditions over components, and selection between two computed values.

//--- all-and-any-of-every-type-and-shape
//# args -enable-16bit-types
//# in F f32: 0 -0 1e-45 nan
StructuredBuffer<float> F;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(!any(float2(F[0], F[1])) && !all(F[1]));
    // Denormals and NaN are not zero.
    EXPECT(all(float2(F[2], F[3])) && any(F[3]));
    EXPECT_EQ(all(int3(1, 2, (int)t)), t != 0);
    EXPECT_EQ(any(uint4(0, 0, 0, t)), t != 0);
    EXPECT(any(bool3(false, false, true)) && !all(bool3(true, true, false)));
    EXPECT(all(float2x2(1, 2, 3, 4)) && !all(float2x2(1, 2, 0, 4)) && any(float2x2(0, 0, 0, 1)));
    EXPECT(any(1ull << 40) && !any((uint64_t)0));
    EXPECT(any((double)F[2]) && !any((half)F[2]));
    EXPECT(any((int16_t2)-1));
    EXPECT(all(1) && any(true) && !any(0.0));
}

//--- and-and-or-work-on-each-component
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool odd = t & 1, late = t >= WIDTH / 2;
    EXPECT_EQ(and(odd, late), odd && late);
    EXPECT_EQ(or(odd, late), odd || late);
    EXPECT_EQ(and(bool2(odd, true), bool2(late, late)), bool2(odd && late, late));
    EXPECT_EQ(or(bool3(odd, true, false), late), bool3(odd || late, true, late));
    EXPECT_EQ(and(t, 2u), t != 0);
    EXPECT_EQ(or(bool2x2(odd, false, true, false), bool2x2(late, late, late, false))[1], bool2(true, false));
}

//--- select-chooses-for-each-component
//# args -enable-16bit-types
//# in U u32: 0x7fc01234
StructuredBuffer<uint> U;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool odd = t & 1;
    EXPECT_EQ(select(odd, 1, 2), odd ? 1 : 2);
    EXPECT_EQ(select(bool3(odd, true, false), float3(1, 2, 3), float3(4, 5, 6)), float3(odd ? 1 : 4, 2, 6));
    EXPECT_EQ(select(bool2(odd, !odd), 1.0, 0.0), float2(odd, !odd));
    EXPECT_EQ(select(odd, float2(1, 2), float2(3, 4)), odd ? float2(1, 2) : float2(3, 4));
    EXPECT_EQ(select(bool2x2(odd, true, false, odd), int2x2(1, 2, 3, 4), 0)[0], int2(odd ? 1 : 0, 2));
    EXPECT_EQ(select(t, 10u, 20u), t != 0 ? 10 : 20);
    EXPECT_EQ(select(odd, 1ull << 40, 2ull), odd ? 1ull << 40 : 2ull);
    EXPECT_EQ(select(odd, 0.5l, 1.0l), odd ? 0.5l : 1.0l);
    EXPECT_EQ(select(odd, (half)0.5, (half)1), odd ? (half)0.5 : (half)1);
    EXPECT_EQ(select(odd, true, false), odd);
    // Selection is a move: it keeps bits.
    EXPECT_EQ(asuint(select(true, asfloat(U[0]), 0.0)), 0x7fc01234);
}
