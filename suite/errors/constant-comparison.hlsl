// No unsigned value is below zero.

//--- a-loop-that-counts-down-for-ever
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint rounds = 0;
    for (uint k = 3; k >= 0; k--) { //~ warning[constant-comparison]: always true
        if (++rounds == 10) break;
    }
    EXPECT_EQ(rounds, 10);
}
//| FILE:5:22: warning: this is always true: a `uint` is never negative [constant-comparison]
//|   |
//| 5 |     for (uint k = 3; k >= 0; k--) {
//|   |                      ^^^^^^
//|   |
//|   = help: use an `int`, or change the comparison

//--- in-a-template-it-may-be-right
template<typename T> T magnitude(T x) { return x < 0 ? -x : x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(magnitude(uint(t)) + magnitude(-1), t + 1);
}
