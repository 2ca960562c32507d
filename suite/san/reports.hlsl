// Three mistakes that were reported in public for samples and documentation of wave intrinsics, each rebuilt from its
// description as a small program of our own, and beside it the program as it should be.

// A denoiser assigns a row of sixteen values to sixteen lanes and reads neighbours by lane. Two assumptions: a wave has
// sixteen lanes or more, and lanes follow the group index, which nothing promises where a group has two dimensions.

//--- san-report-a-filter-takes-sixteen-lanes-for-a-row
// The lanes that are there depend on the order of lanes, too: the undefined reads do not hide that.
//# widths 4 8
//# finds order-dependent-result
//# in In u32: 0..64
//# zero Out 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint index : SV_GroupIndex) {
    uint value = In[index];
    int column = index % 16;
    uint row = WaveGetLaneIndex() / 16 * 16;
    uint sum = 0;
    for (int near = -1; near <= 1; ++near) {
        uint lane = row + clamp(column + near, 0, 15);
        sum += WaveReadLaneAt(value, lane); //? lane-index-out-of-range: is read, but there are only
    }
    Out[index] = sum;
}

//--- san-report-a-filter-counts-on-lanes-in-the-order-of-the-group-index
//# widths 16..64
//# in In u32: 0..64
//# zero Out 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint index : SV_GroupIndex) {
    uint value = In[index];
    int column = index % 16;
    uint row = WaveGetLaneIndex() / 16 * 16;
    uint sum = 0;
    for (int near = -1; near <= 1; ++near) {
        uint lane = row + clamp(column + near, 0, 15);
        sum += WaveReadLaneAt(value, lane); //? order-dependent-result: `Out` depends on the order in which threads are assigned to lanes
    }
    Out[index] = sum;
}

//--- san-report-a-filter-that-shares-its-row-through-memory
//# in In u32: 0..64
//# zero Out 256
//= Out u32: 1 3 6 9
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[64];
[numthreads(8, 8, 1)]
void main(uint index : SV_GroupIndex) {
    tile[index] = In[index];
    GroupMemoryBarrierWithGroupSync();
    int column = index % 16;
    uint row = index / 16 * 16;
    uint sum = 0;
    for (int near = -1; near <= 1; ++near) sum += tile[row + clamp(column + near, 0, 15)];
    Out[index] = sum;
}

// A blur works on rows of eight pixels in place: each thread reads its neighbours and then writes its own pixel. Right as
// long as the eight threads of a row are lanes of one wave, which run in lockstep; with waves of four lanes one half of the
// row overwrites what the other half has not read yet.

//--- san-report-a-blur-without-a-barrier
//# in In u32: 0..64
//# zero Out 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[64];
[numthreads(8, 8, 1)]
void main(uint3 at : SV_GroupThreadID, uint index : SV_GroupIndex) {
    tile[index] = In[index];
    GroupMemoryBarrierWithGroupSync();
    uint left = tile[at.y * 8 + max(int(at.x) - 1, 0)]; //? race: which follow from the same mistake
    uint right = tile[at.y * 8 + min(at.x + 1, 7)];
    tile[index] = (left + right) / 2;
    GroupMemoryBarrierWithGroupSync();
    Out[index] = tile[index];
}

//--- san-report-a-blur-that-waits-before-it-writes
//# in In u32: 0..64
//# zero Out 256
//= Out u32: 0 1 2 3
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[64];
[numthreads(8, 8, 1)]
void main(uint3 at : SV_GroupThreadID, uint index : SV_GroupIndex) {
    tile[index] = In[index];
    GroupMemoryBarrierWithGroupSync();
    uint left = tile[at.y * 8 + max(int(at.x) - 1, 0)];
    uint right = tile[at.y * 8 + min(at.x + 1, 7)];
    GroupMemoryBarrierWithGroupSync();
    tile[index] = (left + right) / 2;
    GroupMemoryBarrierWithGroupSync();
    Out[index] = tile[index];
}

// An example of a reference manual counts the bits of a ballot as if it were one word. It is four: from the thirty-third lane
// on, lanes are not counted.

//--- san-report-an-example-counts-the-first-word-of-a-ballot
//# args -Wno-narrow-lane-mask -Wno-implicit-truncation
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool odd = t & 1;
    uint count = countbits(WaveActiveBallot(odd)); //? truncated-mask: lost: `.y` of the set is never read
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], count);
}

//--- san-report-an-example-that-lets-the-machine-count
//# zero Out 4
//= Out u32: 64
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool odd = t & 1;
    uint count = WaveActiveCountBits(odd);
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], count);
}
