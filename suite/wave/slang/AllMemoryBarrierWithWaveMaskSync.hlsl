// AllMemoryBarrierWithWaveMaskSync orders all memory between the lanes of a wave that a mask names.

//--- all-memory-barrier-with-wave-mask-sync-makes-stores-visible
//# widths 4..32
//# args --dialect slang
groupshared uint cell[WIDTH];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    cell[t] = t * t;
    AllMemoryBarrierWithWaveMaskSync(WaveGetActiveMask());
    EXPECT_EQ(cell[WIDTH - 1 - t], (WIDTH - 1 - t) * (WIDTH - 1 - t));
}
