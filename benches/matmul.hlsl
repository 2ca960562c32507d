// A product of two square matrices of 512 rows, which lie one behind the other, with tiles of both in groupshared memory.
RWStructuredBuffer<float> Input : register(u0);
RWStructuredBuffer<float> Output : register(u1);

#define SIDE 512
#define TILE 16
groupshared float left[TILE * TILE];
groupshared float right[TILE * TILE];

[numthreads(TILE * TILE, 1, 1)]
void main(uint3 group : SV_GroupID, uint index : SV_GroupIndex) {
    uint x = index % TILE, y = index / TILE;
    uint row = group.y * TILE + y, column = group.x * TILE + x;
    float sum = 0;
    for (uint first = 0; first < SIDE; first += TILE) {
        left[index] = Input[row * SIDE + first + x];
        right[index] = Input[SIDE * SIDE + (first + y) * SIDE + column];
        GroupMemoryBarrierWithGroupSync();
        for (uint k = 0; k < TILE; ++k) sum += left[y * TILE + k] * right[k * TILE + x];
        GroupMemoryBarrierWithGroupSync();
    }
    Output[row * SIDE + column] = sum;
}
