// A float outside the range of the integer it is converted to.

//--- san-a-negative-float-becomes-unsigned
//# in In f32: -1.5 2.5
//# zero Out 512
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = (uint)In[t & 1]; //? conversion-out-of-range: cannot represent it
}

//--- san-a-float-that-was-clamped
//# in In f32: -1.5 2.5
//# zero Out 512
//= Out u32: 0 2 0 2
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = (uint)max(In[t & 1], 0);
}

//--- san-an-atomic-operation-keeps-what-is-undefined
// The first wave reads what the last one stored, and what other lanes of that wave left as it was.
//# in F f32: 1*32 nan 9*31
//# zero Out 256
//# widths 4..32
StructuredBuffer<float> F;
RWStructuredBuffer<uint> Out;
groupshared uint least;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) least = ~0u;
    GroupMemoryBarrierWithGroupSync();
    uint cell = (uint)F[t]; //? conversion-out-of-range: a float is converted
    InterlockedMin(least, cell);
    GroupMemoryBarrierWithGroupSync();
    if (least > 3) Out[t] = 1;
}
