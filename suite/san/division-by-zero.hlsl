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
