// What literals are: their types, suffixes and bases.

//--- literal-types-choose-overloads
uint of(int v) { return 1; }
uint of(uint v) { return 2; }
uint of(float v) { return 3; }
uint of(int64_t v) { return 4; }
uint of(uint64_t v) { return 5; }
uint of(double v) { return 6; }
uint of(bool v) { return 7; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(of(1), 1);
    EXPECT_EQ(of(1u), 2);
    EXPECT_EQ(of(1U), 2);
    EXPECT_EQ(of(0x10), 1);
    EXPECT_EQ(of(1.0), 3);
    EXPECT_EQ(of(1.0f), 3);
    EXPECT_EQ(of(1.0L), 6);
    EXPECT_EQ(of(1l), 4);
    EXPECT_EQ(of(1ll), 4);
    EXPECT_EQ(of(1ul), 5);
    EXPECT_EQ(of(1ull), 5);
    EXPECT_EQ(of(1LLU), 5);
    EXPECT_EQ(of(true), 7);
    EXPECT_EQ(of(1 + 2), 1);
    EXPECT_EQ(of(1 + 2.0), 3);
    EXPECT_EQ(of(-1), 1);
    EXPECT_EQ(of(1e2f), 3);
}

//--- literal-bases-and-forms
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(0x1F, 31);
    EXPECT_EQ(0XffU, 255u);
    EXPECT_EQ(017, 15);
    EXPECT_EQ(0, 00);
    EXPECT_EQ(0b101, 5);
    EXPECT_EQ(1e3, 1000.0);
    EXPECT_EQ(1e5f, 100000.0f);
    EXPECT_EQ(.5, 0.5);
    EXPECT_EQ(2., 2.0);
    EXPECT_EQ(1.5e-1F, 0.15f);
    EXPECT_EQ(4294967295u, 0xffffffff);
    EXPECT_EQ((uint)(0x123456789ull >> 32), 1);
    EXPECT_EQ('a', 97);
    EXPECT_EQ(-2147483648 + 0, (int)0x80000000);
}

//--- literal-types-follow-the-other-operand
//# args -enable-16bit-types
uint size_of(float16_t v) { return 2; }
uint size_of(float v) { return 4; }
uint size_of(double v) { return 8; }
uint size_of(int16_t v) { return 12; }
uint size_of(int v) { return 14; }
uint size_of(int64_t v) { return 18; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    half h = (half)t;
    int16_t s = (int16_t)t;
    int64_t w = t;
    double d = t;
    EXPECT_EQ(size_of(h * 2.0), 2);
    EXPECT_EQ(size_of(h * 2), 2);
    EXPECT_EQ(size_of(h * 2.0f), 4);
    EXPECT_EQ(size_of(1.0h), 2);
    EXPECT_EQ(size_of(s + 1), 12);
    EXPECT_EQ(size_of(w + 1), 18);
    EXPECT_EQ(size_of(d * 0.1), 8);
    EXPECT_EQ(size_of(t > 1 ? h : 1.0), 2);
    EXPECT_EQ(d * 0.1, (double)t * 0.1L);
}

//--- literal-types-of-202x
//# args -HV 202x
uint of(int v) { return 1; }
uint of(float v) { return 3; }
uint of(double v) { return 6; }
uint of(int64_t v) { return 4; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    double d = t;
    EXPECT_EQ(of(1), 1);
    EXPECT_EQ(of(1.0), 3);
    EXPECT_EQ(of(1.0l), 6);
    EXPECT_EQ(of(5000000000), 4);
    EXPECT_EQ(3 / 2, 1);
    EXPECT(0.1 * d == (double)0.1f * d);
    EXPECT_EQ(2147483647 + 1, (int)0x80000000);
}

//--- literal-types-before-202x-are-64-bits-wide
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    double d = 0.1;
    EXPECT(d != (double)0.1f);
    uint64_t big = 0xffffffff + 1;
    EXPECT_EQ((uint)(big >> 32), 1);
    uint64_t shifted = 1 << 40;
    EXPECT_EQ((uint)(shifted >> 32), 256);
}

//--- literal-errors
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = 08; //~ error[bad-literal]: 
    uint b = 0x; //~ error[bad-literal]: 
    float c = 1.0q; //~ error[bad-literal]: 
    uint d = 99999999999999999999999; //~ error[bad-literal]: 
}
