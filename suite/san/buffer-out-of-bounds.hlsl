// Buffers accessed beyond their end.

//--- san-more-threads-than-elements
//# in In u32: 1 2 3
//# zero Out 512
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = In[t]; //? buffer-out-of-bounds: `In` is read beyond its end
}

//--- san-only-threads-that-have-an-element
//# in In u32: 1 2 3
//# zero Out 512
//= Out u32: 1 2 3 0
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint count, stride;
    In.GetDimensions(count, stride);
    if (t < count) Out[t] = In[t];
}

//--- san-the-element-before-the-first
//# in In u32: 1 2 3 4 5 6 7 8
//# zero Out 32
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = In[t - 1]; //? buffer-out-of-bounds: element -1 (4294967295 without a sign)
}
