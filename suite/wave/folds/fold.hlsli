// The program of a fold: lanes below END that are MEMBERs, folded one by one, against what CALL gives.
#include "prelude.hlsli"

// Some lanes are not active, and what they hold must not count.
bool active(uint lane) { return lane % 5 != 1; }

T expected(uint t, uint shift) {
    T folded = IDENTITY;
    for (uint lane = 0; lane < END; ++lane)
        if (MEMBER) folded = fold(folded, value(lane + shift));
    return folded;
}

[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (!active(t)) return;
    uint4 group = WaveMatch(t % 3);
    uint mask = WaveActiveBallot(true).x;
#ifdef VECTOR
    vector<T, 3> got = CALL((vector<T, 3>(value(t), value(t + 1), value(t + 2))));
    EXPECT_EQ(got.x, expected(t, 0));
    EXPECT_EQ(got.y, expected(t, 1));
    EXPECT_EQ(got.z, expected(t, 2));
#else
    EXPECT_EQ(CALL(value(t)), expected(t, 0));
#endif
}
