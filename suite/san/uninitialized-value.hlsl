// Values that were never set.

//--- san-a-variable-without-a-value
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x; //? uninitialized-value: `x` is used before it is given a value
    if (t & 1) x = t;
    Out[t] = x;
}

//--- san-groupshared-memory-without-a-value
//# zero Out 512
groupshared uint tile[128];
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t & 1) tile[t] = t;
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[t]; //? uninitialized-value: `tile` is read before it is written
}

//--- san-one-component-without-a-value
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 pair; //? uninitialized-value: `pair` is used before it is given a value
    pair.x = t;
    Out[t] = pair.x + pair.y;
}

//--- san-both-components-have-a-value
//# zero Out 512
//= Out u32: 5 6 7 8
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 pair;
    pair.x = t;
    pair.y = 5;
    Out[t] = pair.x + pair.y;
}

//--- san-atomic-operations-that-ignore-what-was-there
//# zero Out 512
//= Out u32: 6 6 6 6
groupshared uint none, last, all;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint before;
        InterlockedAnd(none, 0);
        InterlockedExchange(last, 7, before);
        InterlockedOr(all, 0xffffffff);
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = none + last + all;
}
