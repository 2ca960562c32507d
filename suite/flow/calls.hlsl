// A call is a reconvergence point: lanes that have returned wait for the others.

//--- lanes-rejoin-after-a-call
uint evenCount(uint t) {
    if (t & 1) return 1;
    return WaveActiveCountBits(true);
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint r = evenCount(t);
    EXPECT_EQ(r, t & 1 ? 1 : WIDTH / 2);
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
}

//--- returning-from-a-loop-in-a-call-leaves-the-loop-for-good
uint find(uint t) {
    for (uint i = 0; i < WIDTH; ++i) {
        if (i == t) return WaveActiveCountBits(true) * 1000 + i;
    }
    return 99;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(find(t), 1000 + t);
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
}

//--- a-return-inside-a-switch-inside-a-loop
uint walk(uint t) {
    uint sum = 0;
    for (uint i = 0; i < 4; ++i) {
        switch ((t + i) % 4) {
            case 0: sum += 1; break;
            case 1: sum += 10; continue;
            case 2: return sum + 1000 * WaveActiveCountBits(true);
            default: sum += 100;
        }
    }
    return sum;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // Lane t reaches case 2 in iteration (2 - t) mod 4, together with a quarter of the wave.
    const uint before[4] = { 11, 10, 0, 111 };
    EXPECT_EQ(walk(t), before[t % 4] + 1000 * (WIDTH / 4));
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
}

//--- arguments-are-copied-in-and-out
void twice(inout uint x, out uint y) {
    x += 1;
    y = x;
    x += 1;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = t, b;
    twice(a, b);
    EXPECT_EQ(a, t + 2);
    EXPECT_EQ(b, t + 1);
    twice(a, a);
    EXPECT_EQ(a, t + 3);
}
