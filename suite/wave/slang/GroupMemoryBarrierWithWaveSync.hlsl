// GroupMemoryBarrierWithWaveSync orders groupshared memory between the lanes of a wave.

//--- group-memory-barrier-with-wave-sync-makes-stores-visible
//# args --dialect slang
groupshared uint cell[WIDTH];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    cell[t] = t * t;
    GroupMemoryBarrierWithWaveSync();
    EXPECT_EQ(cell[WIDTH - 1 - t], (WIDTH - 1 - t) * (WIDTH - 1 - t));
}
