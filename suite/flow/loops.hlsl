// Loops: which lanes are active in an iteration, in the step, and after the loop.

//--- waterfall-loop-visits-each-key-once
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = t % 3;
    uint rounds = 0, members = 0;
    while (true) {
        rounds++;
        if (WaveReadLaneFirst(key) == key) {
            members = WaveActiveCountBits(true);
            break;
        }
    }
    EXPECT_EQ(rounds, key + 1);
    EXPECT_EQ(members, (WIDTH - key + 2) / 3);
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH);
}

//--- do-while-runs-its-condition-with-all-that-continue
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint i = 0, inCondition = 0;
    do {
        i++;
        if (t & 1) continue;
        i += 0;
    } while (i < 3 && (inCondition = WaveActiveCountBits(true)) > 0);
    EXPECT_EQ(inCondition, WIDTH);
    EXPECT_EQ(i, 3);
}

//--- nested-loops-reconverge-at-each-end
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint inner = 0, outer = 0;
    for (uint i = 0; i < 3; ++i) {
        for (uint j = 0; j < t % 4; ++j) inner += WaveActiveCountBits(true);
        outer += WaveActiveCountBits(true);
    }
    // In iteration j of the inner loop, the lanes with t % 4 > j are active.
    uint expected = 0;
    for (uint k = 0; k < t % 4; ++k) expected += 3 * ((3 - k) * WIDTH / 4);
    EXPECT_EQ(inner, expected);
    EXPECT_EQ(outer, 3 * WIDTH);
}

//--- a-value-uniform-in-a-loop-differs-after-it
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint i = 0;
    while (i < t) i++;
    EXPECT_EQ(i, t);
    EXPECT_EQ(WaveActiveSum(i), WIDTH * (WIDTH - 1) / 2);
}

//--- loop-variables-exchange-their-values
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = t, b = 1000;
    for (uint i = 0; i < t; ++i) {
        uint keep = a;
        a = b;
        b = keep;
    }
    EXPECT_EQ(a, t & 1 ? 1000 : t);
    EXPECT_EQ(b, t & 1 ? t : 1000);
}

//--- partial-waves-hold-only-the-threads-that-exist
[numthreads(WIDTH / 2 + 1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), WIDTH / 2 + 1);
    EXPECT_EQ(WaveGetLaneCount(), WIDTH);
    EXPECT_EQ(WaveActiveMax(t), WIDTH / 2);
}

//--- the-last-wave-of-a-group-is-partial
//# groups 2 1 1
[numthreads(WIDTH + 3, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveActiveCountBits(true), t < WIDTH ? WIDTH : 3);
    EXPECT_EQ(WaveReadLaneFirst(t), t < WIDTH ? 0 : WIDTH);
}

//--- a-loop-of-few-rounds-starts-alike-in-all-lanes
// In the first iteration all lanes hold the same sum, in the second they do not.
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    float sum = WaveActiveMin(lane + 1.0);
    for (uint i = 0; i < 3; ++i) sum += (float)lane;
    EXPECT_EQ(sum, 1.0 + 3.0 * lane);
    uint power = WaveGetLaneCount();
    for (uint k = 0; k < 4; ++k) power = power * 3 + (lane & 3) + k;
    EXPECT_EQ(power, WIDTH * 81 + (lane & 3) * 40 + 18);
}

//--- lanes-that-leave-by-either-arm-keep-what-they-left-with
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // The lanes of the first arm leave before those of the second, and the rest an iteration later.
    uint left = 0;
    for (uint i = 0; i < 100; ++i) {
        if (t % 3 == 0) {
            left = 1000 + t;
            break;
        } else if (i > t % 5) {
            left = 2000 + i;
            break;
        }
    }
    EXPECT_EQ(left, t % 3 == 0 ? 1000 + t : 2001 + t % 5);
}

//--- a-lane-leaves-with-its-own-round-and-not-a-later-one
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float x = 0, mark = -1;
    uint round = 0;
    while (round < 50) {
        mark = round * 0.5;
        // A NaN is not greater than anything: such a lane runs to the end.
        if (x * 2 > 2.0 * t || t == 3) break;
        x = t == 2 ? asfloat(0x7fc00000) : 2 * x + 1;
        round++;
    }
    uint last = t == 2 ? 50 : t == 3 ? 0 : firstbithigh(t + 1) + 1;
    EXPECT_EQ(round, last);
    EXPECT_EQ(mark, (t == 2 ? 49 : last) * 0.5);
}
