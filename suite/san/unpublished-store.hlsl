// Flags that are raised without a memory barrier between them and the value that they announce.

//--- san-no-memory-barrier-before-the-flag
//# san --publication=strict --progress=concurrent
//# widths 4
//# groups 2 1 1
//# zero Value 4
//# zero Flag 4
//# zero Out 4
globallycoherent RWStructuredBuffer<uint> Value;
RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint seen = 0;
    if (g == 0) {
        Value[0] = 7;
        InterlockedExchange(Flag[0], 1, seen);
    } else {
        while (seen == 0) InterlockedOr(Flag[0], 0, seen);
        Out[0] = Value[0]; //? unpublished-store: `Value` is stored without a memory barrier before the flag
    }
}

//--- san-a-memory-barrier-before-the-flag
//# san --publication=strict --progress=concurrent
//# groups 2 1 1
//# zero Value 4
//# zero Flag 4
//# zero Out 4
//= Out u32: 7
globallycoherent RWStructuredBuffer<uint> Value;
RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint seen = 0;
    if (g == 0) {
        Value[0] = 7;
        DeviceMemoryBarrier();
        InterlockedExchange(Flag[0], 1, seen);
    } else {
        while (seen == 0) InterlockedOr(Flag[0], 0, seen);
        Out[0] = Value[0];
    }
}

//--- san-the-flag-alone-is-enough-by-default
//# san --progress=concurrent
//# groups 2 1 1
//# zero Value 4
//# zero Flag 4
//# zero Out 4
//= Out u32: 7
globallycoherent RWStructuredBuffer<uint> Value;
RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint seen = 0;
    if (g == 0) {
        Value[0] = 7;
        InterlockedExchange(Flag[0], 1, seen);
    } else {
        while (seen == 0) InterlockedOr(Flag[0], 0, seen);
        Out[0] = Value[0];
    }
}
