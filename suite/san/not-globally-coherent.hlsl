// Values passed between groups through buffers that are not `globallycoherent`.

//--- san-the-last-group-adds-up-what-the-others-stored
//# groups 4 1 1
//# zero Parts 16
//# zero Done 4
//# zero Out 4
RWStructuredBuffer<uint> Parts;
RWStructuredBuffer<uint> Done;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        Parts[g] = g + 1;
        DeviceMemoryBarrier();
        uint done;
        InterlockedAdd(Done[0], 1, done);
        if (done == 3) {
            uint sum = 0;
            for (uint i = 0; i < 4; ++i) sum += Parts[i]; //? not-globally-coherent: `Parts` passes a value between groups
            Out[0] = sum;
        }
    }
}

//--- san-the-last-group-adds-up-what-lies-in-a-coherent-buffer
//# groups 4 1 1
//# zero Parts 16
//# zero Done 4
//# zero Out 4
//= Out u32: 10
globallycoherent RWStructuredBuffer<uint> Parts;
RWStructuredBuffer<uint> Done;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        Parts[g] = g + 1;
        DeviceMemoryBarrier();
        uint done;
        InterlockedAdd(Done[0], 1, done);
        if (done == 3) {
            uint sum = 0;
            for (uint i = 0; i < 4; ++i) sum += Parts[i];
            Out[0] = sum;
        }
    }
}
