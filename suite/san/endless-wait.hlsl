// Loops that wait for a store that cannot come.

//--- san-a-lock-that-a-lane-takes-and-its-neighbours-wait-for
//# zero Lock 4
//# zero Sum 4
RWStructuredBuffer<uint> Lock;
RWStructuredBuffer<uint> Sum;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint before;
    do { //? endless-wait: wait for ever for `Lock` to change
        InterlockedCompareExchange(Lock[0], 0, 1, before);
    } while (before != 0);
    Sum[0] += t;
    InterlockedExchange(Lock[0], 0, before);
}

//--- san-a-lock-that-is-given-back-inside-of-the-loop
//# zero Lock 4
//# zero Sum 4
//= Sum u32: 28
RWStructuredBuffer<uint> Lock;
RWStructuredBuffer<uint> Sum;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool done = false;
    while (!done) {
        uint before;
        InterlockedCompareExchange(Lock[0], 0, 1, before);
        if (before == 0) {
            Sum[0] += t;
            InterlockedExchange(Lock[0], 0, before);
            done = true;
        }
    }
}

//--- san-a-lock-where-every-lane-comes-on
//# san --progress=fair
//# zero Lock 4
//# zero Sum 4
RWStructuredBuffer<uint> Lock;
RWStructuredBuffer<uint> Sum;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint before;
    do {
        InterlockedCompareExchange(Lock[0], 0, 1, before);
    } while (before != 0);
    Sum[0] += t;
    InterlockedExchange(Lock[0], 0, before);
}

//--- san-the-first-group-waits-for-the-last
//# san --progress=occupancy-bound
//# groups 4 1 1
//# zero Ready 4
//# zero Out 4
RWStructuredBuffer<uint> Ready;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    uint seen, before;
    if (g == 0 && t == 0) {
        do { //? endless-wait: lane 0 waits for ever for `Ready` to change
            InterlockedOr(Ready[0], 0, seen);
        } while (seen == 0);
        Out[0] = seen;
    }
    if (g == 3 && t == 0) InterlockedOr(Ready[0], 1, before);
}

//--- san-groups-wait-for-those-that-came-before
//# san --progress=occupancy-bound
//# groups 4 1 1
//# zero Next 4
//# zero Ready 4
//# zero Out 16
//= Out u32: 0 1 2 3
RWStructuredBuffer<uint> Next;
RWStructuredBuffer<uint> Ready;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint ticket, seen, before;
        InterlockedAdd(Next[0], 1, ticket);
        do {
            InterlockedOr(Ready[0], 0, seen);
        } while (seen < ticket);
        Out[ticket] = seen;
        InterlockedAdd(Ready[0], 1, before);
    }
}

//--- san-two-waves-wait-for-each-other
// Each wave would store after its own loop.
//# widths 4
//# zero Ready 8
RWStructuredBuffer<uint> Ready;
[numthreads(2 * WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint seen, before;
    uint own = t / WIDTH;
    do { //? endless-wait: all waves that have started are in such loops, wait at a barrier, or have ended
        InterlockedOr(Ready[1 - own], 0, seen);
    } while (seen == 0);
    InterlockedOr(Ready[own], 1, before);
}

//--- san-groups-look-back-by-their-own-numbers
// A group that starts before those of lower numbers waits for them.
//# groups 4 1 1
//# zero Ready 4
//# zero Out 16
RWStructuredBuffer<uint> Ready;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        uint seen, before;
        do {
            InterlockedOr(Ready[0], 0, seen);
        } while (seen < g); //? endless-wait: 3 of 4 groups have not started, and need not start before these have ended
        Out[g] = seen;
        InterlockedAdd(Ready[0], 1, before);
    }
}

//--- san-groups-look-back-by-tickets
//# groups 4 1 1
//# zero Next 4
//# zero Ready 4
//# zero Out 16
//= Out u32: 0 1 2 3
RWStructuredBuffer<uint> Next;
RWStructuredBuffer<uint> Ready;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) {
        uint ticket, seen, before;
        InterlockedAdd(Next[0], 1, ticket);
        do {
            InterlockedOr(Ready[0], 0, seen);
        } while (seen < ticket);
        Out[ticket] = seen;
        InterlockedAdd(Ready[0], 1, before);
    }
}

//--- san-all-groups-meet-at-a-barrier
//# groups 4 1 1
//# zero Here 4
//# zero Out 16
RWStructuredBuffer<uint> Here;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        uint seen;
        InterlockedAdd(Here[0], 1, seen);
        do { //? endless-wait: groups run one at a time here
            InterlockedOr(Here[0], 0, seen);
        } while (seen < 4);
        Out[g] = seen;
    }
}

//--- san-all-groups-run-at-the-same-time
// Devices do not promise it, so only the sanitizer runs this.
//# san --progress=fair
//# groups 4 1 1
//# zero Here 4
//# zero Out 16
//= Out u32: 4 4 4 4
RWStructuredBuffer<uint> Here;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        uint seen;
        InterlockedAdd(Here[0], 1, seen);
        do {
            InterlockedOr(Here[0], 0, seen);
        } while (seen < 4);
        Out[g] = seen;
    }
}

//--- san-a-group-gives-up-waiting-for-the-next-one
// A loop that counts its rounds ends in every order, and leaves something else where the next group has not started.
//# groups 2 1 1
//# zero Flag 4
//# zero Out 8
RWStructuredBuffer<uint> Flag;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        uint seen = 0;
        if (g == 1) InterlockedOr(Flag[0], 1, seen);
        else for (uint round = 0; round < 100000 && seen == 0; ++round) {
            InterlockedOr(Flag[0], 0, seen); //? order-dependent-result: against groups=in-order
        }
        Out[g] = seen;
    }
}

//--- san-a-buffer-that-nothing-writes-is-not-waited-for
//# zero Flags 8
//# zero Out 32
StructuredBuffer<uint> Flags;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint k = 0;
    while (Flags[k] == 0) k ^= 1; //? endless-wait: stay in this loop for ever
    Out[t] = k;
}

//--- san-a-heap-is-waited-for-if-one-of-its-views-is-writable
//# in ResourceDescriptorHeap[0] u32: 0,0
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    StructuredBuffer<uint> flags = ResourceDescriptorHeap[0];
    RWStructuredBuffer<uint> written = ResourceDescriptorHeap[0];
    uint k = 0;
    while (flags[k] == 0) k ^= 1; //? endless-wait: wait for ever for `ResourceDescriptorHeap` to change
    written[0] = 1;
}

//--- san-a-look-back-without-tickets-is-not-about-lanes
// Other lanes of the wave come to the store, but only groups that have not started are waited for.
//# groups 8 1 1
//# zero State 32
//# zero Out 32
globallycoherent RWStructuredBuffer<uint> State;
RWStructuredBuffer<uint> Out;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    uint sum = 0;
    if (g > 0 && t == 0) {
        while (State[g - 1] == 0) {} //? endless-wait: help: let each group take a number from an atomic counter
        sum = State[g - 1];
    }
    sum = WaveReadLaneFirst(sum);
    if (t == 0) State[g] = sum + 1;
    if (t == 0) Out[g] = sum;
}

//--- san-a-waterfall-that-compares-with-another-variable
//# zero Out 32
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = t & 1;
    while (true) { //? endless-wait: the first lane's `key` is compared with `t` here
        uint first = WaveReadLaneFirst(key);
        if (first == t) {
            Out[t] = first;
            break;
        }
    }
}

//--- san-a-waterfall-over-a-key-that-is-not-a-number
//# widths 8 32
//# in Keys f32: 4 1 4 1 -1 2 -1 2
//# zero Out 32
StructuredBuffer<float> Keys;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float key = sqrt(Keys[t]);
    while (true) { //? endless-wait: NaN == NaN is false
        float first = WaveReadLaneFirst(key);
        if (first == key) {
            Out[t] = uint(first);
            break;
        }
    }
}

//--- san-a-waterfall-over-the-bits-of-a-key
//# in Keys f32: 4 1 4 1 -1 2 -1 2
//# zero Out 32
//= Out u32: 2 1 2 1 9 1 9 1
StructuredBuffer<float> Keys;
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float key = sqrt(Keys[t]);
    while (true) {
        float first = WaveReadLaneFirst(key);
        if (asuint(first) == asuint(key)) {
            Out[t] = isnan(first) ? 9 : uint(first);
            break;
        }
    }
}

//--- san-a-waterfall-that-the-lanes-do-not-leave
//# args -Wno-endless-loop
//# widths 8 32
//# zero Out 32
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = t & 1;
    bool done = false;
    while (true) { //? endless-wait: nothing in the loop leaves it
        if (done) continue;
        uint first = WaveReadLaneFirst(key);
        if (first == key) {
            Out[t] = first;
            done = true;
        }
    }
}

//--- san-a-waterfall-whose-lanes-only-remember-that-they-are-done
//# widths 8 32
//# zero Out 32
RWStructuredBuffer<uint> Out;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint key = t & 1, sum = 0;
    bool done = false;
    while (!WaveActiveAllTrue(done)) { //? endless-wait: lane 0 stays
        uint first = WaveReadLaneFirst(key);
        if (first == key) {
            sum = first;
            done = true;
        }
    }
    Out[t] = sum;
}

//--- san-a-lock-that-is-never-released
//# widths 8 32
//# zero Lock 4
//# zero Sum 4
RWStructuredBuffer<uint> Lock, Sum;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool done = false;
    uint before;
    while (!done) { //? endless-wait: sets `Lock` back to 0 between them
        InterlockedCompareExchange(Lock[0], 0, 1, before);
        if (before == 0) {
            Sum[0] += t;
            done = true;
        }
    }
}

//--- san-a-lock-whose-holder-breaks-out
//# widths 8 32
//# zero Lock 4
//# zero Sum 4
RWStructuredBuffer<uint> Lock, Sum;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint before;
    while (true) { //? endless-wait: (2) and leaves the loop here, still holding it
        InterlockedExchange(Lock[0], 1, before);
        if (before == 0) {
            Sum[0] += t;
            break;
        }
    }
}

//--- san-a-turn-that-is-the-number-of-the-group
//# groups 4 1 1
//# zero Ready 4
//# zero Out 16
RWStructuredBuffer<uint> Ready;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex, uint g : SV_GroupID) {
    if (t == 0) {
        uint seen, before, turn;
        turn = g; //? endless-wait: the number that is waited for follows from the index of the group
        do {
            InterlockedOr(Ready[0], 0, seen);
        } while (seen < turn);
        Out[g] = seen;
        InterlockedAdd(Ready[0], 1, before);
    }
}

//--- san-an-update-that-never-succeeds
// No lock: what is compared is computed.
//# widths 4
//# zero Sum 4
RWStructuredBuffer<uint> Sum;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool done = false;
    uint known = 5, before;
    while (!done) { //? endless-wait: nothing outside the loop stores there
        InterlockedCompareExchange(Sum[0], known, known + t, before);
        if (before == known) done = true;
    }
}
