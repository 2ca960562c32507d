// WaveActiveAllTrue asks whether a condition holds in all active lanes.

//--- all-of-all-lanes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(WaveActiveAllTrue(t < WIDTH));
    EXPECT(!WaveActiveAllTrue(t != WIDTH - 1));
}

//--- all-asks-active-lanes-only
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 2 == 0) EXPECT(WaveActiveAllTrue(t % 2 == 0));
    EXPECT(!WaveActiveAllTrue(t % 2 == 0));
}
