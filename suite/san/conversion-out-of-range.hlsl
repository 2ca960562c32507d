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
