// Two accesses that nothing orders.

//--- san-a-neighbour-is-read-without-a-barrier
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t; //? race: race on `tile`
    Out[t] = tile[127 - t];
}

//--- san-a-neighbour-is-read-after-a-barrier
//# zero Out 512
//= Out u32: 127 126 125
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t;
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[127 - t];
}

//--- san-all-threads-write-one-place
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[0] = t; //? race: race on `Out`
}
