// Loops and branches as statements; `flow/` has them with waves.

//--- control-for-with-commas
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint s = 0;
    for (uint i = 0, k = 10; i < k; ++i, k -= 2) s += k - i;
    EXPECT_EQ(s, 22);
    uint a, b;
    for (a = 0, b = t; a < b; a++, b--) { }
    EXPECT_EQ(a, (t + 1) / 2);
    uint c = 0;
    for (; c < t;) c += 3;
    EXPECT_EQ(c, (t + 2) / 3 * 3);
}

//--- control-loops-break-and-continue
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint s = 0, i = 0;
    while (true) {
        ++i;
        if (i > t) break;
        if (i & 1) continue;
        s += i;
    }
    EXPECT_EQ(s, (t / 2) * (t / 2 + 1));
    uint n = 0;
    do { n++; } while (n * n < t);
    EXPECT(n == 1 || ((n - 1) * (n - 1) < t && n * n >= t));
    uint once = 0;
    do { once++; if (t & 1) continue; once += 10; } while (false);
    EXPECT_EQ(once, (t & 1) ? 1 : 11);
    uint outer = 0;
    for (uint x = 0; x < 4; ++x) {
        for (uint y = 0; y < 4; ++y) {
            if (y == x) break;
            outer += 1;
        }
    }
    EXPECT_EQ(outer, 6);
}

//--- control-switch
uint pick(uint x) {
    uint r = 0;
    switch (x) {
        case 0:
            r = 10;
            break;
        case 1:
        case 2: {
            r = 20 + x;
            break;
        }
        case 3:
            return 33;
        case 2 + 2:
            r = 40;
        default:
            r += 1;
            break;
        case 0x7:
            r = 70;
    }
    return r;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    static const uint expected[8] = { 10, 21, 22, 33, 41, 1, 1, 70 };
    EXPECT_EQ(pick(t % 8), expected[t % 8]);
    EXPECT_EQ(pick(100 + t), 1);
}

//--- control-switch-on-negative-and-enumerated
enum Kind { First, Second = 5, Third };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int i = (int)(t % 3) - 1;
    uint r = 9;
    switch (i) { case -1: r = 1; break; case 0: r = 2; break; case +1: r = 3; break; }
    EXPECT_EQ(r, t % 3 + 1);
    Kind k = t & 1 ? Second : Third;
    switch (k) { case First: r = 1; break; case Second: r = 5; break; case Third: r = 6; break; }
    EXPECT_EQ(r, (t & 1) ? 5 : 6);
}

//--- control-names-live-in-their-block
static const uint x = 100;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(x, 100);
    uint x = t;
    {
        uint x = 5;
        x++;
        EXPECT_EQ(x, 6);
    }
    for (uint y = 0; y < 2; ++y) { uint x = y; EXPECT_EQ(x, y); }
    EXPECT_EQ(x, t);
}

//--- control-attributes-change-nothing
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint s = 0;
    [unroll] for (uint i = 0; i < 4; ++i) s += i;
    [unroll(4)] for (uint k = 0; k < 4; ++k) s += k;
    [loop] for (uint j = 0; j < t; ++j) s += 1;
    [branch] if (t & 1) s += 100;
    [flatten] if (t & 2) s += 200; else s += 300;
    [forcecase] switch (t & 1) { case 0: s += 1; break; default: s += 2; break; }
    EXPECT_EQ(s, 13 + t + 101 * (t & 1) + ((t & 2) ? 200 : 300));
}

//--- control-static-variables-of-a-function
uint ticket() { static uint n = 5; return n++; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(ticket(), 5);
    if (t & 1) ticket();
    EXPECT_EQ(ticket(), 6 + (t & 1));
    static const uint table[2] = { 3, 4 };
    EXPECT_EQ(table[t & 1], 3 + (t & 1));
}
