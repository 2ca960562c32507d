// Integer division by zero, reported where its result is used.

//--- san-a-divisor-that-becomes-zero
//# in In u32: 0 3
//# zero Out 512
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = 7 / In[t & 1]; //? division-by-zero: divided by zero
}

//--- san-a-quotient-that-is-not-used
//# in In u32: 0 3
//# zero Out 512
//= Out u32: 9 2 9 2
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint quotient = 7 / In[t & 1];
    Out[t] = In[t & 1] ? quotient : 9;
}

//--- san-the-last-wave-that-divided-is-named
// Poison comes to a third wave through groupshared memory: of two waves that divided by zero, it is always the later
// one that the report names.
//# widths 4
//# in In u32: 1 0 1 1 1 1 0 1
//# zero Out 16
groupshared uint tile[8];
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(12, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 8) tile[t] = 7 / In[t]; //? division-by-zero: lane 2: divides by zero here
    GroupMemoryBarrierWithGroupSync();
    if (t >= 8) Out[t - 8] = tile[6];
}
