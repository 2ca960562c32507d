// Results that differ from one order of waves and groups to another.

//--- san-who-comes-first-takes-it-all
//# zero Out 4
//# groups 4 1 1
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    uint before;
    if (t == 0) InterlockedCompareExchange(Out[0], 0, g + 1, before); //? order-dependent-result: `Out` depends on the order in which waves and groups run
}

//--- san-the-largest-takes-it-all
//# zero Out 4
//# groups 4 1 1
//= Out u32: 4
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) InterlockedMax(Out[0], g + 1);
}
