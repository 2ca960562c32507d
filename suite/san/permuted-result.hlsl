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

// The label says what a thread gets in both orders: a set of lanes, or the result of a later round.

//--- san-a-slot-from-a-set-of-lanes
//# args -Wno-narrow-lane-mask -Wno-implicit-truncation
//# widths 16
//# zero Out 64
RWStructuredBuffer<uint> Out;
[numthreads(4, 4, 1)]
void main(uint3 at : SV_GroupThreadID, uint t : SV_GroupIndex) {
    uint4 others = WaveActiveBallot(at.x != 1); //? permuted-result: thread 0 of its group gets lanes 0, 2
    uint below = (1u << WaveGetLaneIndex()) - 1;
    if (at.x != 1) Out[countbits(others.x & below)] = t + 1;
}

//--- san-a-slot-from-the-second-round
//# widths 16
//# zero Out 64
RWStructuredBuffer<uint> Out;
[numthreads(4, 4, 1)]
void main(uint t : SV_GroupIndex) {
    uint slot = 0;
    for (uint i = 0; i < 2; ++i) {
        slot += WavePrefixCountBits(i == 1); //? permuted-result: thread 2 of its group gets 2 (lanes=linear), or 4 (lanes=quad2d)
    }
    Out[slot] = t;
}

// In any order or not, the elements themselves are compared.

//--- san-an-element-that-depends-on-the-width
//# finds permuted-result
//# groups 4 1 1
//# zero Count 4
//# zero Out 64
RWStructuredBuffer<uint> Count;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_DispatchThreadID) {
    uint at;
    InterlockedAdd(Count[0], 1, at);
    Out[at] = t + (WaveGetLaneCount() == 16); //? width-dependent-result: is written here with waves of 16 lanes, and no element equals it with
}

//--- san-an-unordered-element-that-depends-on-the-width
//# san --unordered=Out
//# groups 4 1 1
//# zero Count 4
//# zero Out 64
RWStructuredBuffer<uint> Count;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_DispatchThreadID) {
    uint at;
    InterlockedAdd(Count[0], 1, at);
    Out[at] = t + (WaveGetLaneCount() == 16); //? width-dependent-result: waves of 4, 8, 32, 64 and 128 lanes give one result, of 16 another
}
