// Variables declared in conditions.

//--- an-if-over-its-own-variable
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint seen = 0;
    if (uint odd = lane & 1) seen = odd + 10;
    else seen = odd + 20;
    EXPECT_EQ(seen, lane & 1 ? 11 : 20);
}

//--- a-chain-in-which-each-arm-declares
uint kind(uint lane) {
    if (uint four = lane & 4) return four;
    else if (uint two = lane & 2) return two + four;
    else if (lane & 1) return 1 + two + four;
    else return 100 + two + four;
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(kind(lane), lane & 4 ? 4 : lane & 2 ? 2 : lane & 1 ? 1 : 100);
}

//--- a-variable-for-each-turn-of-a-while
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint left = lane, turns = 0, sum = 0;
    while (uint rest = left) {
        left--;
        turns++;
        if (rest & 1) continue;
        if (rest == 8) break;
        sum += rest;
    }
    // Iterations count down from the lane index to 1, or to 8 if that comes first.
    EXPECT_EQ(turns, lane < 8 ? lane : lane - 7);
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
    uint expected = 0;
    for (uint i = lane < 8 ? 1 : 9; i <= lane; i++) expected += i & 1 ? 0 : i;
    EXPECT_EQ(sum, expected);
}

//--- a-switch-over-its-own-variable
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint seen = 0;
    [branch] switch (int n = int(lane % 3)) {
        case 0: seen = 5; break;
        case 1: seen = n + 6;
        default: seen += n; break;
    }
    EXPECT_EQ(seen, lane % 3 == 0 ? 5 : lane % 3 == 1 ? 8 : 2);
}

//--- a-name-in-a-head-hides-the-one-outside
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint n = 7;
    if (uint n = lane + 1) EXPECT_EQ(n, lane + 1);
    EXPECT_EQ(n, 7);
}

//--- a-head-that-gives-no-value
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint x = 0;
    if (uint n) x = 1; //~ error[syntax]: `n` has no value to test
}

//--- a-switch-over-a-float-cuts-it
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint seen = 9;
    switch (lane * 0.5) { //~ warning[lossy-conversion]
        case 0: seen = 0; break;
        case 1: seen = 1; break;
    }
    EXPECT_EQ(seen, lane < 2 ? 0 : lane < 4 ? 1 : 9);
}

//--- a-switch-over-64-bits
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint64_t wide = (uint64_t)(lane % 3) << 32 | 1;
    uint seen = 0;
    switch (wide) {
        case 1: seen = 5; break;
        case 0x100000001: seen = 6; break;
        default: seen = 7; break;
    }
    EXPECT_EQ(seen, 5 + lane % 3);
}

//--- a-switch-over-a-truth-value
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint seen = 0;
    switch (lane % 3 == 1) {
        case false: seen = 5; break;
        case true: seen = lane; break;
    }
    EXPECT_EQ(seen, lane % 3 == 1 ? lane : 5);
}
