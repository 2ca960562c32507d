// Arithmetic without a meaning.

//--- san-a-negative-float-becomes-unsigned
//# in In f32: -1.5 2.5
//# zero Out 512
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = (uint)In[t & 1]; //? conversion-out-of-range: cannot hold it
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

//--- san-a-lane-mask-by-a-shift
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = 1u << t; //? shift-out-of-range: as many bits
}
