// Tiles: indices of which a chunk of lanes names neighbours or one element, though no wave does.

//--- tiles-are-read-by-rows-and-by-columns
//# in Zero u32: 0
StructuredBuffer<uint> Zero;
groupshared uint tile[16 * 17];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t % 16, y = t / 16;
    tile[y * 17 + x] = t * 3;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(tile[x * 17 + y], (x * 16 + y) * 3);
    EXPECT_EQ(tile[y * 17 + (x ^ 5)], (y * 16 + (x ^ 5)) * 3);
    EXPECT_EQ(tile[(y | 8) * 17 + (x & 11)], ((y | 8) * 16 + (x & 11)) * 3);
    for (uint k = 0; k < 16; ++k) {
        // One element for sixteen lanes, then neighbours.
        EXPECT_EQ(tile[y * 17 + k], (y * 16 + k) * 3);
        EXPECT_EQ(tile[k * 17 + x], (k * 16 + x) * 3);
        uint own = k + Zero[0];
        EXPECT_EQ(tile[own * 17 + x], (k * 16 + x) * 3);
        if ((t + k) % 3 == 0) EXPECT_EQ(tile[y * 17 + own], (y * 16 + k) * 3);
    }
}

//--- lanes-store-to-one-tile-in-their-order
//# finds race
groupshared uint tile[8];
[numthreads(4 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    // Several lanes, and several waves, write each element: the last one stays.
    tile[t % 8] = t;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(tile[t % 8], 4 * WIDTH - 8 + t % 8);
    GroupMemoryBarrierWithGroupSync();
    if (t % 5 != 2) tile[t / 4 % 8] = t;
    GroupMemoryBarrierWithGroupSync();
    uint last = 0;
    for (uint other = 0; other < 4 * WIDTH; ++other)
        if (other % 5 != 2 && other / 4 % 8 == t % 8) last = other;
    if (t / 4 % 8 == t % 8) EXPECT_EQ(tile[t % 8], last);
}

//--- tiles-of-buffers-end-where-the-buffer-does
//# finds buffer-out-of-bounds
//# in In u32: 0..100
//# zero Out 480
//= Out u32: 1 2 3 4 5 6 7 8
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    uint x = t % 8, y = t / 8;
    uint at = (group.x + y) * 8 + x;
    EXPECT_EQ(In[at], at < 100 ? at : 0);
    EXPECT_EQ(In[y * 8 + 7], y * 8 + 7 < 100 ? y * 8 + 7 : 0);
    EXPECT_EQ(In[at - 60], at >= 60 ? at - 60 : 0);
    if (t % 7 != 3) EXPECT_EQ(In[y * 8], y * 8 < 100 ? y * 8 : 0);
    Out[y * 8 + x] = at + 1;
    if (at < 120) EXPECT_EQ(Out[at], at + 1);
}

//--- rows-of-groups-are-not-multiples-of-waves
//# widths 4..32
groupshared uint tile[96];
[numthreads(32, 3, 1)]
void main(uint3 thread : SV_GroupThreadID) {
    uint x = thread.x % 8 + thread.x / 8 * 8, y = thread.y & 3;
    tile[y * 32 + x] = y * 100 + x;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(tile[y * 32 + (x ^ 1)], y * 100 + (x ^ 1));
    EXPECT_EQ(tile[(y ^ 1) % 3 * 32 + x], (y ^ 1) % 3 * 100 + x);
}
