// A square matrix of 4,096 rows is transposed, tile by tile, through groupshared memory. The padding keeps the columns of a tile
// in different banks on a GPU.
RWStructuredBuffer<uint> Input : register(u0);
RWStructuredBuffer<uint> Output : register(u1);

#define SIDE 4096
#define TILE 16
groupshared uint tile[TILE * (TILE + 1)];

[numthreads(TILE * TILE, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) {
    uint x = index % TILE, y = index / TILE;
    tile[y * (TILE + 1) + x] = Input[(group.y * TILE + y) * SIDE + group.x * TILE + x];
    GroupMemoryBarrierWithGroupSync();
    Output[(group.x * TILE + y) * SIDE + group.y * TILE + x] = tile[x * (TILE + 1) + y];
}
