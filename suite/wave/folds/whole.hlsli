// All lanes of full waves scan together, round by round, and no lane has left.
#include "prelude.hlsli"

// Odd numbers, so that products do not end in zeros, that wrap around in every type.
T value(uint lane, uint round) {
    T odd = (T)((lane * 2654435761u ^ round * 40503u) | 1u);
    return (T)(odd * odd * odd);
}

[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint first = t - WaveGetLaneIndex();
    for (uint round = 0; round < 3; ++round) {
        T folded = (T)(IDENTITY);
        for (uint lane = first; lane < t; ++lane) folded = fold(folded, value(lane, round));
        EXPECT_EQ(CALL(value(t, round)), folded);
    }
}
