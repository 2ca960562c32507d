// Findings in functions that are inlined: each names the callers, and the help the function that lacks the barrier.

//--- san-calls-race-between-two-functions
//# widths 4 8 16
groupshared uint Tile[64];
RWStructuredBuffer<uint> Out;
//# zero Out 256
void put(uint t) {
    Tile[t] = t; //? race: put `GroupMemoryBarrierWithGroupSync()` between the calls of `put` and `take` in `reverse`
}
uint take(uint t) {
    return Tile[63 - t];
}
uint reverse(uint t) {
    put(t);
    return take(t);
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = reverse(t);
}

//--- san-calls-race-has-stacks
//# widths 8
groupshared uint Tile[64];
RWStructuredBuffer<uint> Out;
//# zero Out 256
void put(uint t) {
    Tile[t] = t; //? race: (1) is in `take`, called at line 36 by `reverse`, called at line 40 by `main`
}
uint take(uint t) {
    return Tile[63 - t];
}
uint reverse(uint t) {
    put(t);
    return take(t);
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = reverse(t);
}

//--- san-calls-race-in-the-caller
//# widths 4 8 16
groupshared uint Tile[64];
RWStructuredBuffer<uint> Out;
//# zero Out 256
void put(uint t) {
    Tile[t] = t; //? race: between the call of `put` and (1) in `main`
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    put(t);
    Out[t] = Tile[63 - t];
}

//--- san-calls-one-function-twice
//# widths 4 8 16
groupshared uint Tile[64];
RWStructuredBuffer<uint> Out;
//# zero Out 256
uint swap(uint at, uint value) {
    uint before = Tile[at]; //? race: (1) is in this call of `swap`
    Tile[at] = value;
    return before;
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Tile[t] = t;
    GroupMemoryBarrierWithGroupSync();
    uint one = swap(t, t + 1);
    Out[t] = swap(63 - t, one);
}

//--- san-calls-round-in-the-caller
//# widths 4 8 16
groupshared uint Tile[64];
RWStructuredBuffer<uint> Out;
//# zero Out 256
uint next(uint t, uint value) {
    Tile[t] = value; //? race: at the end of the loop in `main`
    GroupMemoryBarrierWithGroupSync();
    return Tile[(t + 1) % 64];
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value = t;
    for (uint i = 0; i < 4; i++) value = next(t, value);
    Out[t] = value;
}

//--- san-calls-barrier-in-a-function
//# widths 4 8 16
groupshared uint Tile[64];
RWStructuredBuffer<uint> Out;
//# zero Out 256
void meet() {
    GroupMemoryBarrierWithGroupSync(); //? divergent-barrier: call `share` in `main` where all threads of the group reach the call
}
uint share(uint t) {
    Tile[t] = t;
    meet();
    return Tile[t];
}
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value = 0;
    if (t % 4 != 1) value = share(t);
    Out[t] = value;
}

//--- san-calls-value-without-a-value
//# widths 4 8
RWStructuredBuffer<uint> Out;
//# zero Out 64
uint pick(uint t) {
    uint value; //? uninitialized-value: in `pick`, called at line 123 by `main`
    if (t & 1) value = t;
    return value;
}
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = pick(t);
}

//--- san-calls-read-of-a-lane
//# widths 4 8
RWStructuredBuffer<uint> Out;
//# zero Out 64
uint neighbour(uint value) {
    return WaveReadLaneAt(value, WaveGetLaneIndex() ^ 1); //? inactive-lane-read: in `neighbour`, called at line
}
uint half(uint t) {
    uint value = 0;
    if (t & 1) value = neighbour(t);
    return value;
}
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = half(t);
}
