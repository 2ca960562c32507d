// Results that differ from one wave width to another.

//--- san-a-sum-over-the-wave-is-taken-for-one-over-the-group
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t); //? width-dependent-result: `Out` depends on the wave width
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-that-differs-in-the-second-round-only
//# zero Out 4
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    for (uint i = 0; i < 2; ++i) {
        sum += WaveActiveSum(i * t); //? width-dependent-result: `Out` depends on the wave width
    }
    if (t == 0) Out[0] = sum;
}

//--- san-a-sum-over-the-group-by-waves
//# zero Out 4
//= Out u32: 8128
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveActiveSum(t);
    if (WaveIsFirstLane()) InterlockedAdd(Out[0], sum);
}

// Partial sums differ at every width, and rightly so; what goes wrong is that at 128 lanes they are not added up.

//--- san-sums-of-waves-that-are-not-added-up-at-one-width
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
groupshared uint total;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    if (lanes < 128) { //? width-dependent-result: `Out` depends on the wave width
        if (t == 0) {
            for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
        }
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = total;
}

//--- san-a-count-that-stops-too-early-at-one-width
//# zero Out 512
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    GroupMemoryBarrierWithGroupSync();
    uint total = 0;
    uint waves = 128 / lanes;
    if (waves > 16) waves = 16; //? width-dependent-result: `Out` depends on the wave width
    for (uint i = 0; i < waves; ++i) total += sums[i];
    Out[t] = total;
}

//--- san-sums-of-waves-that-are-added-up-at-every-width
//# zero Out 512
//= Out u32: 8256 8256 8256 8256
RWStructuredBuffer<uint> Out;
groupshared uint sums[32];
groupshared uint total;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount();
    uint sum = WaveActiveSum(t + 1);
    if (WaveIsFirstLane()) sums[t / lanes] = sum;
    if (t == 0) total = 0;
    GroupMemoryBarrierWithGroupSync();
    if (t == 0) {
        for (uint i = 0; i < 128 / lanes; ++i) total += sums[i];
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = total;
}

// Nothing but the number of lanes is to blame where a result is made of it.

//--- san-the-number-of-lanes-is-stored
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint lanes = WaveGetLaneCount(); //? width-dependent-result: `Out` depends on the wave width
    Out[t] = lanes * 2;
}
