// Wave operations that rely on lanes which need not have reconverged.

//--- san-after-a-branch-in-a-branch
//# san --reconvergence=spirv
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t != 3) {
        if (t & 1) x *= 3;
        x += WaveActiveCountBits(true); //? reconvergence: the lanes need not have reconverged here
    }
    Out[t] = x;
}

//--- san-after-a-branch-that-the-whole-wave-came-to
//# san --reconvergence=spirv
//# zero Out 512
//= Out u32 @4: 4 7 6 13
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t & 1) x *= 3;
    x += WaveActiveCountBits(true);
    Out[t] = x;
}

//--- san-after-lanes-have-returned
//# san --reconvergence=spirv
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) return;
    uint x = t;
    if (t & 1) x *= 3;
    Out[t] = x + WaveActiveCountBits(true); //? reconvergence: the lanes need not have reconverged here
}

//--- san-threads-that-go-their-own-ways
//# san --reconvergence=independent
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t & 1) x *= 3;
    x += WaveActiveCountBits(true); //? reconvergence: the lanes need not have reconverged here
    Out[t] = x;
}

//--- san-a-barrier-brings-threads-together
//# san --reconvergence=independent
//# zero Out 512
//= Out u32 @4: 4 7 6 13
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t & 1) x *= 3;
    GroupMemoryBarrierWithGroupSync();
    x += WaveActiveCountBits(true);
    Out[t] = x;
}

//--- san-lanes-that-leave-a-loop-one-by-one
//# san --reconvergence=independent
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    while (n < t) ++n;
    Out[t] = WaveActiveSum(n); //? reconvergence: the lanes need not have reconverged here
}

// Where `continue` and `return` lead, nothing promises that lanes come together, and a branch that only some of them
// are known to have reached together does not bring them together either.

//--- san-a-branch-after-lanes-have-continued
//# san --reconvergence=spirv
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    for (uint i = 0; i < 2; ++i) {
        if (t & 2) x *= 3;
        x += WaveActiveCountBits(true); //? reconvergence: the lanes need not have reconverged here
        if (t & 1) continue;
        x += 5;
    }
    Out[t] = x;
}

//--- san-after-a-function-from-which-lanes-returned-one-by-one
//# san --reconvergence=spirv
//# zero Out 512
RWStructuredBuffer<uint> Out;
uint small(uint t) {
    if (t & 1) return 3;
    return t;
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = small(t);
    Out[t] = x + WaveActiveCountBits(true); //? reconvergence: the lanes need not have reconverged here
}
