// Arrays with one element per wave, where a group can have more waves.

//--- places-for-waves-of-32-lanes
//# widths 32 64
groupshared uint sums[4];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint wave = t / WaveGetLaneCount();
    sums[wave] = WaveActiveSum(1u); //~ warning[assumed-wave-count]: `sums` has elements for 4 waves, but a group can have 32
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(sums[0], uint(WIDTH));
}
//| FILE:7:5: warning: `sums` has elements for 4 waves, but a group can have 32 [assumed-wave-count]
//|   |
//| 3 | groupshared uint sums[4];
//|   |                  ---- declared here
//| ...
//| 7 |     sums[wave] = WaveActiveSum(1u);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: this shader allows waves of 4 lanes, of which 128 threads need 32
//|   = help: make it 32 elements long, or state the widths with `[WaveSize]`

//--- vectors-for-waves-of-16-lanes
//# widths 16 32
groupshared uint2 sums[8];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t / WaveGetLaneCount()] = uint2(WaveActiveSum(1u), 0); //~ warning[assumed-wave-count]: `sums` has elements for 8 waves
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(sums[0].x, uint(WIDTH));
}
//| FILE:6:5: warning: `sums` has elements for 8 waves, but a group can have 32 [assumed-wave-count]
//|   |
//| 3 | groupshared uint2 sums[8];
//|   |                   ---- declared here
//| ...
//| 6 |     sums[t / WaveGetLaneCount()] = uint2(WaveActiveSum(1u), 0);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = note: this shader allows waves of 4 lanes, of which 128 threads need 32
//|   = help: make it 32 elements long, or state the widths with `[WaveSize]`

//--- places-for-the-narrowest-waves
groupshared uint sums[128 / 4];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t / WaveGetLaneCount()] = WaveActiveSum(1u);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(sums[0], uint(WIDTH));
}

//--- places-for-the-widths-that-are-stated
//# widths 32 64
groupshared uint sums[4];
[WaveSize(32, 64)]
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t / WaveGetLaneCount()] = WaveActiveSum(1u);
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(sums[0], uint(WIDTH));
}
