// Float comparisons for equality that machines evaluate differently.

//--- san-a-nan-among-the-keys
//# in In f32: nan 1 2 nan
//# zero Out 512
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 same = WaveMatch(In[t & 3]); //? float-equality: a NaN is compared with itself
    Out[t] = countbits(same.x) + countbits(same.y) + countbits(same.z) + countbits(same.w);
}

//--- san-two-zeros-are-asked-whether-they-are-equal
//# in In f32: 0 -0
//# zero Out 512
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WaveActiveAllEqual(In[t & 1]); //? float-equality: +0 is compared with -0
}

//--- san-keys-that-are-numbers
//# in In f32: 0 -0 3 3
//# zero Out 512
//= Out u32 @4: 2 2 2 2
StructuredBuffer<float> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 same = WaveMatch(In[t & 3] + 0);
    Out[t] = countbits(same.x) + countbits(same.y) + countbits(same.z) + countbits(same.w);
}
