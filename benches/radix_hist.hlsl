// The counting step of a radix sort: a histogram of one digit over 4,096 keys for each group, in groupshared memory.
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Output : register(u1);

#define GROUP 256
#define KEYS 16
#define GROUPS_IN_ROW 256
groupshared uint bins[256];

[numthreads(GROUP, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) {
    uint number = group.y * GROUPS_IN_ROW + group.x;
    bins[index] = 0;
    GroupMemoryBarrierWithGroupSync();
    for (uint i = 0; i < KEYS; ++i) {
        uint key = Input[(number * KEYS + i) * GROUP + index];
        InterlockedAdd(bins[key >> 8 & 255], 1);
    }
    GroupMemoryBarrierWithGroupSync();
    Output[number * GROUP + index] = bins[index];
}
