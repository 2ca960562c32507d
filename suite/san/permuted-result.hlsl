// Results with the same elements in a different order.

//--- san-an-append-buffer-takes-what-comes
//# groups 4 1 1
//# zero Count 4
//# zero Out 64
RWStructuredBuffer<uint> Count;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_DispatchThreadID) {
    uint at;
    InterlockedAdd(Count[0], 1, at);
    Out[at] = t; //? permuted-result
}

//--- san-an-append-buffer-that-may-come-in-any-order
//# san --unordered=Out
//# groups 4 1 1
//# zero Count 4
//# zero Out 64
//= Count u32: 16
RWStructuredBuffer<uint> Count;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_DispatchThreadID) {
    uint at;
    InterlockedAdd(Count[0], 1, at);
    Out[at] = t;
}
