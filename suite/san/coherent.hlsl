// Values that pass between groups through coherent buffers, announced by flags: in the right order, and not.

//--- san-a-value-before-its-flag
//# san --progress=concurrent
//# groups 4 1 1
//# zero Value 16
//# zero Flag 16
//# zero Out 16
//= Out u32: 1 2 3 4
globallycoherent RWStructuredBuffer<uint> Value;
globallycoherent RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint sum = 1;
    if (g > 0) {
        while (Flag[g - 1] == 0) {}
        sum += Value[g - 1];
    }
    Value[g] = sum;
    DeviceMemoryBarrier();
    Flag[g] = 1;
    Out[g] = sum;
}

//--- san-a-flag-before-its-value
//# san --progress=concurrent
//# widths 4 32
//# groups 4 1 1
//# zero Value 16
//# zero Flag 16
//# zero Out 16
globallycoherent RWStructuredBuffer<uint> Value;
globallycoherent RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint sum = 1;
    if (g > 0) {
        while (Flag[g - 1] == 0) {}
        sum += Value[g - 1];
    }
    Flag[g] = 1; //? race: race on `Value`
    DeviceMemoryBarrier();
    Value[g] = sum;
    Out[g] = sum;
}

//--- san-a-value-is-read-before-its-flag-is-seen
//# san --progress=concurrent
//# widths 4 32
//# groups 4 1 1
//# zero Value 16
//# zero Flag 16
//# zero Out 16
globallycoherent RWStructuredBuffer<uint> Value;
globallycoherent RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint sum = 1;
    if (g > 0) {
        sum += Value[g - 1]; //? race: race on `Value`
        while (Flag[g - 1] == 0) {}
    }
    Value[g] = sum;
    DeviceMemoryBarrier();
    Flag[g] = 1;
    Out[g] = sum;
}

//--- san-the-flag-and-the-value-are-one-word
//# san --progress=concurrent
//# groups 4 1 1
//# zero Packed 16
//# zero Out 16
//= Out u32: 1 2 3 4
globallycoherent RWStructuredBuffer<uint> Packed;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint sum = 1;
    if (g > 0) {
        uint seen;
        do seen = Packed[g - 1]; while (seen >> 31 == 0);
        sum += seen & 0x7fffffff;
    }
    Packed[g] = 0x80000000 | sum;
    Out[g] = sum;
}

//--- san-an-atomic-operation-whose-result-is-unused-orders-nothing
//# widths 4 32
//# groups 2 1 1
//# zero Value 4
//# zero Count 4
//# zero Out 8
globallycoherent RWStructuredBuffer<uint> Value;
RWStructuredBuffer<uint> Count;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    if (g == 0) Value[0] = 7;
    InterlockedAdd(Count[0], 1); //? race: race on `Value`
    if (g == 1) Out[g] = Value[0];
}

//--- san-the-last-group-knows-by-the-result-that-it-is-the-last
//# groups 2 1 1
//# zero Value 8
//# zero Count 4
//# zero Out 4
//= Out u32: 3
globallycoherent RWStructuredBuffer<uint> Value;
RWStructuredBuffer<uint> Count;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    Value[g] = g + 1;
    uint before;
    InterlockedAdd(Count[0], 1, before);
    if (before == 1) Out[0] = Value[0] + Value[1];
}

//--- san-a-plain-store-resets-what-others-count
//# widths 4 32
//# groups 2 1 1
//# zero Count 4
globallycoherent RWStructuredBuffer<uint> Count;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    if (g == 0) InterlockedAdd(Count[0], 1);
    else Count[0] = 5; //? race: race on `Count`
}

//--- san-groups-take-tickets-and-look-back
//# groups 8 1 1
//# zero Next 4
//# zero Packed 32
//# zero Out 32
//= Out u32: 1 2 3 4 5 6 7 8
RWStructuredBuffer<uint> Next;
globallycoherent RWStructuredBuffer<uint> Packed;
RWStructuredBuffer<uint> Out;
groupshared uint ticket, before;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) InterlockedAdd(Next[0], 1, ticket);
    GroupMemoryBarrierWithGroupSync();
    uint mine = ticket;
    if (t == 0) {
        uint sum = 0;
        if (mine > 0) {
            uint seen;
            do InterlockedOr(Packed[mine - 1], 0, seen); while (seen >> 31 == 0);
            sum = seen & 0x7fffffff;
        }
        InterlockedExchange(Packed[mine], 0x80000000 | sum + 1, before);
        Out[mine] = sum + 1;
    }
}

//--- san-a-node-is-linked-after-it-is-on-the-stack
// Only a wave that runs right behind the exchange meets a node without its link.
//# finds order-dependent-result
//# groups 4 1 1
//# zero Head 4
//# zero Next 512
//# zero Out 512
globallycoherent RWStructuredBuffer<uint> Head;
globallycoherent RWStructuredBuffer<uint> Next;
RWStructuredBuffer<uint> Out;
[numthreads(32, 1, 1)]
void main(uint i : SV_DispatchThreadID) {
    uint old;
    InterlockedExchange(Head[0], i + 1, old);
    Next[i] = old;
    uint top;
    InterlockedOr(Head[0], 0, top);
    Out[i] = Next[top - 1]; //? race: race on `Next`
}

//--- san-a-ring-buffer-raises-its-flag-early
// In order, each group takes back what it has put in itself. Only where groups run by turns does one get another's.
//# san --thorough
//# groups 8
//# zero Ring 64
//# zero Ready 64
//# zero Head 4
//# zero Tail 4
//# zero Out 64
globallycoherent RWStructuredBuffer<uint> Ring;
globallycoherent RWStructuredBuffer<uint> Ready;
globallycoherent RWStructuredBuffer<uint> Head;
globallycoherent RWStructuredBuffer<uint> Tail;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint at;
        InterlockedAdd(Head[0], 1, at);
        Ready[at % 16] = 1; //? race: race on `Ring`
        Ring[at % 16] = at * 10;
        DeviceMemoryBarrier();
        uint from;
        InterlockedAdd(Tail[0], 1, from);
        while (Ready[from % 16] == 0) { }
        Out[from] = Ring[from % 16];
    }
}

//--- san-a-ring-buffer-raises-its-flag-late
//# san --thorough
//# groups 8
//# zero Ring 64
//# zero Ready 64
//# zero Head 4
//# zero Tail 4
//# zero Out 64
//= Out u32: 0 10 20 30 40 50 60 70
globallycoherent RWStructuredBuffer<uint> Ring;
globallycoherent RWStructuredBuffer<uint> Ready;
globallycoherent RWStructuredBuffer<uint> Head;
globallycoherent RWStructuredBuffer<uint> Tail;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint at;
        InterlockedAdd(Head[0], 1, at);
        Ring[at % 16] = at * 10;
        DeviceMemoryBarrier();
        Ready[at % 16] = 1;
        uint from;
        InterlockedAdd(Tail[0], 1, from);
        while (Ready[from % 16] == 0) { }
        Out[from] = Ring[from % 16];
    }
}

// A barrier for device memory publishes what its wave did, and the next group barrier tells the others, whatever memory
// that one names.

//--- san-a-memory-barrier-before-a-group-barrier
//# in In u32: 0..64
//# zero Data 256
//# zero Out 256
//= Out u32: 63 62 61 60
StructuredBuffer<uint> In;
globallycoherent RWStructuredBuffer<uint> Data;
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Data[t] = In[t];
    DeviceMemoryBarrier();
    GroupMemoryBarrierWithGroupSync();
    DeviceMemoryBarrier();
    Out[t] = Data[63 - t];
}

//--- san-a-group-barrier-without-a-memory-barrier
// The barrier to replace is the one at which threads wait.
//# in In u32: 0..64
//# zero Data 256
//# zero Out 256
//# widths 4..32
StructuredBuffer<uint> In;
globallycoherent RWStructuredBuffer<uint> Data;
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Data[t] = In[t];
    GroupMemoryBarrier();
    GroupMemoryBarrierWithGroupSync(); //? race: this barrier does not cover buffers
    Out[t] = Data[63 - t];
}

//--- san-the-last-group-reads-what-all-have-published
// The first thread publishes the sum of its group, and learns of the sums of the others.
//# groups 8
//# in In u32: 1*512
//# zero Part 32
//# zero Done 4
//# zero Out 4
//= Out u32: 512
StructuredBuffer<uint> In;
globallycoherent RWStructuredBuffer<uint> Part;
RWStructuredBuffer<uint> Done, Out;
groupshared uint total, isLast;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 g : SV_GroupID) {
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(total, In[g.x * 64 + t]);
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        Part[g.x] = total;
        DeviceMemoryBarrier();
        uint before;
        InterlockedAdd(Done[0], 1, before);
        isLast = before == 7;
    }
    GroupMemoryBarrierWithGroupSync();
    if (isLast) {
        uint sum = 0;
        for (uint k = 0; k < 8; ++k) sum += Part[k];
        if (t == 0) Out[0] = sum;
    }
}

//--- san-a-flag-raised-for-the-stores-of-other-waves
// The barrier covers groupshared memory only, so that the first wave does not publish what the others stored.
//# groups 4
//# zero Flag 16
//# zero Data 1024
//# zero Ticket 4
//# zero Out 1024
//# widths 4..32
globallycoherent RWStructuredBuffer<uint> Flag, Data;
RWStructuredBuffer<uint> Ticket, Out;
groupshared uint ticket;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint taken;
        InterlockedAdd(Ticket[0], 1, taken);
        ticket = taken;
    }
    GroupMemoryBarrierWithGroupSync();
    uint g = ticket;
    Data[g * 64 + t] = g * 1000 + t;
    GroupMemoryBarrierWithGroupSync(); //? race: help: use `AllMemoryBarrierWithGroupSync()` instead of that barrier
    uint old;
    if (t == 0) InterlockedExchange(Flag[g], 1, old);
    if (g > 0) {
        uint seen;
        do { InterlockedOr(Flag[g - 1], 0, seen); } while (seen == 0);
        Out[g * 64 + t] = Data[(g - 1) * 64 + 63 - t];
    }
}

//--- san-a-flag-raised-behind-a-barrier-for-all-memory
//# groups 4
//# zero Flag 16
//# zero Data 1024
//# zero Ticket 4
//# zero Out 1024
//= Out u32: 0*64 63 62 61 60
globallycoherent RWStructuredBuffer<uint> Flag, Data;
RWStructuredBuffer<uint> Ticket, Out;
groupshared uint ticket;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint taken;
        InterlockedAdd(Ticket[0], 1, taken);
        ticket = taken;
    }
    GroupMemoryBarrierWithGroupSync();
    uint g = ticket;
    Data[g * 64 + t] = g * 1000 + t;
    AllMemoryBarrierWithGroupSync();
    uint old;
    if (t == 0) InterlockedExchange(Flag[g], 1, old);
    if (g > 0) {
        uint seen;
        do { InterlockedOr(Flag[g - 1], 0, seen); } while (seen == 0);
        Out[g * 64 + t] = Data[(g - 1) * 64 + 63 - t];
    }
}

// A check-then-set breaks only where another wave checks between the two: the run in which waves hand over shows it.

//--- san-a-lock-that-is-checked-and-set-in-two-steps
//# groups 4 1 1
//# zero Lock 4
//# zero Data 4
globallycoherent RWStructuredBuffer<uint> Lock, Data;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    bool done = false;
    while (!done) {
        if (Lock[0] == 0) { //? race: help: check and set `Lock` by one atomic operation
            Lock[0] = 1;
            Data[0] += g;
            DeviceMemoryBarrier();
            Lock[0] = 0;
            done = true;
        }
    }
}

//--- san-a-lock-in-two-steps-that-lanes-of-a-wave-hold-together
//# zero Lock 4
//# zero Data 4
globallycoherent RWStructuredBuffer<uint> Lock, Data;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool done = false;
    while (!done) {
        if (Lock[0] == 0) { //? race: `Data` depends on the wave width for the same reason
            Lock[0] = 1;
            Data[0] += 1;
            DeviceMemoryBarrier();
            Lock[0] = 0;
            done = true;
        }
    }
}

//--- san-a-lock-that-is-checked-and-set-in-one-step
//# groups 4 1 1
//# zero Lock 4
//# zero Data 4
//= Data u32: 6
globallycoherent RWStructuredBuffer<uint> Lock, Data;
[numthreads(1, 1, 1)]
void main(uint g : SV_GroupID) {
    uint before;
    bool done = false;
    while (!done) {
        InterlockedCompareExchange(Lock[0], 0, 1, before);
        if (before == 0) {
            Data[0] += g;
            DeviceMemoryBarrier();
            InterlockedExchange(Lock[0], 0, before);
            done = true;
        }
    }
}
