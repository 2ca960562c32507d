// WaveActiveAnyTrue asks whether a condition holds in any active lane.

//--- any-of-all-lanes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(WaveActiveAnyTrue(t == WIDTH - 1));
    EXPECT(!WaveActiveAnyTrue(t == WIDTH));
}

//--- any-asks-active-lanes-only
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 2 == 0) {
        EXPECT(!WaveActiveAnyTrue(t == 1));
        EXPECT(WaveActiveAnyTrue(t == 2));
    }
}

//--- any-takes-numbers
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(WaveActiveAnyTrue(t));
    EXPECT(!WaveActiveAnyTrue(0.0));
}
