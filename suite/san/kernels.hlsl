// Kernels as found in libraries of sorts, scans and reductions, each with a typical mistake, and beside it
// the kernel as it should be. No section depends on the width: each is one program, compared between all widths.

//--- san-kernel-scan-takes-waves-of-32
//# in In u32: 0..256
//# zero Out 1024
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[8];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value = In[t];
    uint upTo = WavePrefixSum(value) + value; //? width-dependent-result: `Out` depends on the wave width
    uint wave = t / 32;
    if (t % 32 == 31) sums[wave] = upTo;
    GroupMemoryBarrierWithGroupSync();
    uint before = 0;
    for (uint i = 0; i < wave; ++i) before += sums[i];
    Out[t] = before + upTo;
}

//--- san-kernel-scan-asks-for-the-width
//# in In u32: 0..256
//# zero Out 1024
//= Out u32: 0 1 3 6 10 15 21 28 36 45
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[64];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value = In[t];
    uint upTo = WavePrefixSum(value) + value;
    uint wave = t / WaveGetLaneCount();
    if (WaveGetLaneIndex() == WaveGetLaneCount() - 1) sums[wave] = upTo;
    GroupMemoryBarrierWithGroupSync();
    uint before = 0;
    for (uint i = 0; i < wave; ++i) before += sums[i];
    Out[t] = before + upTo;
}

//--- san-kernel-compaction-asks-lane-zero
//# in In u32: 0..64
//# zero Out 256
//# zero Count 4
//# san --unordered=Out
//# finds width-dependent-result
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out, Count;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (In[t] % 3 == 1) {
        uint start = 0;
        uint all = WaveActiveCountBits(true);
        if (WaveGetLaneIndex() == 0) InterlockedAdd(Count[0], all, start);
        start = WaveReadLaneAt(start, 0); //? inactive-lane-read: lane 0 is read while inactive
        Out[start + WavePrefixCountBits(true)] = In[t];
    }
}

//--- san-kernel-compaction-asks-the-first-lane
//# in In u32: 0..64
//# zero Out 256
//# zero Count 4
//# san --unordered=Out
//= Count u32: 21
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out, Count;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (In[t] % 3 == 1) {
        uint start = 0;
        uint all = WaveActiveCountBits(true);
        if (WaveIsFirstLane()) InterlockedAdd(Count[0], all, start);
        start = WaveReadLaneFirst(start);
        Out[start + WavePrefixCountBits(true)] = In[t];
    }
}

//--- san-kernel-histogram-looks-at-one-word
//# args -Wno-narrow-lane-mask
//# in In u32: 0..64
//# zero Histogram 64
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Histogram;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint bin = In[t] & 3;
    uint same = WaveMatch(bin).x; //? truncated-mask: lanes 32 to 63 are lost
    if (WaveGetLaneIndex() == firstbitlow(same)) InterlockedAdd(Histogram[bin], countbits(same));
}

//--- san-kernel-histogram-looks-at-all-words
//# in In u32: 0..64
//# zero Histogram 64
//= Histogram u32: 16 16 16 16
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Histogram;
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint bin = In[t] & 3;
    uint4 same = WaveMatch(bin);
    bool first = WaveMultiPrefixCountBits(true, same) == 0;
    uint4 counts = countbits(same);
    if (first) InterlockedAdd(Histogram[bin], counts.x + counts.y + counts.z + counts.w);
}

//--- san-kernel-matrices-by-tiles-with-one-barrier
//# in A f32: 0..64
//# in B f32: 0..64
//# zero C 256
StructuredBuffer<float> A, B;
RWStructuredBuffer<float> C;
groupshared float left[4][4], right[4][4];
[numthreads(4, 4, 1)]
void main(uint3 at : SV_GroupThreadID) {
    float sum = 0;
    for (uint tile = 0; tile < 8; tile += 4) {
        left[at.y][at.x] = A[at.y * 8 + tile + at.x];
        right[at.y][at.x] = B[(tile + at.y) * 8 + at.x];
        GroupMemoryBarrierWithGroupSync();
        for (uint k = 0; k < 4; ++k) {
            sum += left[at.y][k] * right[k][at.x]; //? race: race on `right`
        }
    }
    C[at.y * 8 + at.x] = sum;
}

//--- san-kernel-matrices-by-tiles-with-two-barriers
//# in A f32: 0..64
//# in B f32: 0..64
//# zero C 256
//= C f32: 1120 1148 1176 1204
StructuredBuffer<float> A, B;
RWStructuredBuffer<float> C;
groupshared float left[4][4], right[4][4];
[numthreads(4, 4, 1)]
void main(uint3 at : SV_GroupThreadID) {
    float sum = 0;
    for (uint tile = 0; tile < 8; tile += 4) {
        left[at.y][at.x] = A[at.y * 8 + tile + at.x];
        right[at.y][at.x] = B[(tile + at.y) * 8 + at.x];
        GroupMemoryBarrierWithGroupSync();
        for (uint k = 0; k < 4; ++k) sum += left[at.y][k] * right[k][at.x];
        GroupMemoryBarrierWithGroupSync();
    }
    C[at.y * 8 + at.x] = sum;
}

//--- san-kernel-reduction-ends-in-a-wave-of-32
//# in In u32: 0..64
//# zero Out 4
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t] = In[t];
    GroupMemoryBarrierWithGroupSync();
    if (t >= 32) return;
    sums[t] += sums[t + 32]; //? race: race on `sums`
    sums[t] += sums[t + 16];
    for (uint n = 8; n > 0; n >>= 1) {
        sums[t] += sums[t + n];
    }
    if (t == 0) Out[0] = sums[0];
}

//--- san-kernel-reduction-waits-at-every-step
//# in In u32: 0..64
//# zero Out 4
//= Out u32: 2016
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t] = In[t];
    GroupMemoryBarrierWithGroupSync();
    for (uint n = 32; n > 0; n >>= 1) {
        if (t < n) sums[t] += sums[t + n];
        GroupMemoryBarrierWithGroupSync();
    }
    if (t == 0) Out[0] = sums[0];
}

//--- san-kernel-reduction-waits-where-some-do-not-come
//# in In u32: 0..256
//# zero Out 4
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint sums[256];
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    sums[t] = In[t];
    GroupMemoryBarrierWithGroupSync();
    for (uint n = 128; n > 0; n >>= 1) {
        if (t < n) {
            sums[t] += sums[t + n];
            GroupMemoryBarrierWithGroupSync(); //? divergent-barrier
        }
    }
    if (t == 0) Out[0] = sums[0];
}

//--- san-kernel-look-back-through-a-plain-buffer
//# san --progress=concurrent
//# groups 8 1 1
//# zero State 32
//# zero Total 32
RWStructuredBuffer<uint> State, Total;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    if (t == 0) {
        uint before = 0, ready = 0, old;
        if (group.x > 0) {
            while (ready == 0) InterlockedAdd(State[group.x - 1], 0, ready);
            before = Total[group.x - 1]; //? not-globally-coherent: passes a value between groups
        }
        Total[group.x] = before + group.x;
        DeviceMemoryBarrier();
        InterlockedExchange(State[group.x], 1, old);
    }
}

//--- san-kernel-look-back-through-a-coherent-buffer
//# san --progress=concurrent
//# groups 8 1 1
//# zero State 32
//# zero Total 32
//= Total u32: 0 1 3 6 10 15 21 28
RWStructuredBuffer<uint> State;
globallycoherent RWStructuredBuffer<uint> Total;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    if (t == 0) {
        uint before = 0, ready = 0, old;
        if (group.x > 0) {
            while (ready == 0) InterlockedAdd(State[group.x - 1], 0, ready);
            before = Total[group.x - 1];
        }
        Total[group.x] = before + group.x;
        DeviceMemoryBarrier();
        InterlockedExchange(State[group.x], 1, old);
    }
}

//--- san-kernel-look-ahead-where-groups-run-one-by-one
//# groups 4 1 1
//# san --progress=occupancy-bound
//# zero State 16
RWStructuredBuffer<uint> State;
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex, uint3 group : SV_GroupID) {
    if (t == 0) {
        uint ready = 0, old;
        if (group.x < 3) {
            while (ready == 0) InterlockedAdd(State[group.x + 1], 0, ready); //? endless-wait: lane 0 waits for ever for `State`
        }
        InterlockedExchange(State[group.x], ready + 1, old);
    }
}

//--- san-kernel-tree-walk-with-a-stack-too-small
//# zero Out 256
RWStructuredBuffer<uint> Out;
groupshared uint stack[4][64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint top = 0, leaves = 0;
    stack[top++][t] = 1;
    for (uint step = 0; top > 0 && step < 100; ++step) {
        uint node = stack[--top][t]; //? out-of-bounds: `stack` is read beyond its end
        if (node >= 16) {
            ++leaves;
        } else {
            stack[top++][t] = 2 * node; //? out-of-bounds: `stack` is written beyond its end
            stack[top++][t] = 2 * node + 1; //? out-of-bounds: `stack` is written beyond its end
        }
    }
    Out[t] = leaves;
}

//--- san-kernel-tree-walk-with-a-stack-for-each-thread
//# zero Out 256
//= Out u32: 16 16 16 16
RWStructuredBuffer<uint> Out;
groupshared uint stack[8][64];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint top = 0, leaves = 0;
    stack[top++][t] = 1;
    while (top > 0) {
        uint node = stack[--top][t];
        if (node >= 16) {
            ++leaves;
        } else {
            stack[top++][t] = 2 * node;
            stack[top++][t] = 2 * node + 1;
        }
    }
    Out[t] = leaves;
}

//--- san-kernel-largest-of-a-square-in-a-branch
//# in In u32: 0..64
//# zero Out 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint3 at : SV_GroupThreadID) {
    uint value = In[at.y * 8 + at.x];
    if (value % 3 != 0) value = max(value, QuadReadAcrossX(value)); //? incomplete-quad
    Out[at.y * 8 + at.x] = value;
}

//--- san-kernel-largest-of-a-square
//# in In u32: 0..64
//# zero Out 64
//= Out u32: 9 11 13 15 25
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
[numthreads(8, 8, 1)]
void main(uint3 at : SV_GroupThreadID) {
    uint value = In[at.y * 8 + at.x];
    value = max(value, QuadReadAcrossX(value));
    value = max(value, QuadReadAcrossY(value));
    if (at.x % 2 == 0 && at.y % 2 == 0) Out[at.y / 2 * 4 + at.x / 2] = value;
}

//--- san-kernel-blur-reads-too-early
//# in In u32: 0..64
//# zero Out 256
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[66];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = t; i < 66; i += 64) {
        tile[i] = In[clamp(int(i) - 1, 0, 63)]; //? race: which follow from the same mistake
    }
    Out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

//--- san-kernel-blur-waits-for-the-tile
//# in In u32: 0..64
//# zero Out 256
//= Out u32: 1 3 6 9 12
StructuredBuffer<uint> In;
RWStructuredBuffer<uint> Out;
groupshared uint tile[66];
[numthreads(64, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = t; i < 66; i += 64) {
        tile[i] = In[clamp(int(i) - 1, 0, 63)];
    }
    GroupMemoryBarrierWithGroupSync();
    Out[t] = tile[t] + tile[t + 1] + tile[t + 2];
}

//--- san-kernel-sort-of-bits-across-waves
//# in Data u32: 7 3 9 1 8 2 6 4 15 11 0 13 5 12 10 14 23 19 25 17 24 18 22 20 31 27 16 29 21 28 26 30
//= Data u32: 0..32
RWStructuredBuffer<uint> Data;
groupshared uint shared[32];
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint value = Data[t];
    for (uint k = 2; k <= 32; k <<= 1) {
        for (uint j = k >> 1; j > 0; j >>= 1) {
            uint other;
            if (j < WaveGetLaneCount()) {
                other = WaveReadLaneAt(value, WaveGetLaneIndex() ^ j);
            } else {
                shared[t] = value;
                GroupMemoryBarrierWithGroupSync();
                other = shared[t ^ j];
                GroupMemoryBarrierWithGroupSync();
            }
            bool keepsLess = ((t & k) == 0) == ((t & j) == 0);
            value = keepsLess ? min(value, other) : max(value, other);
        }
    }
    Data[t] = value;
}

//--- san-kernel-radix-sort-by-match
//# in Keys u32: 7 3 9 1 8 2 6 4 15 11 0 13 5 12 10 14 23 19 25 17 24 18 22 20 31 27 16 29 21 28 26 30
//# zero Out 128
//= Out u32: 0..32
StructuredBuffer<uint> Keys;
RWStructuredBuffer<uint> Out;
groupshared uint keys[32], starts[4], counts[8][4];
[numthreads(32, 1, 1)]
void main(uint t : SV_GroupIndex) {
    keys[t] = Keys[t];
    uint wave = t / WaveGetLaneCount();
    for (uint shift = 0; shift < 6; shift += 2) {
        counts[t / 4][t % 4] = 0;
        GroupMemoryBarrierWithGroupSync();
        uint key = keys[t], digit = key >> shift & 3;
        uint4 same = WaveMatch(digit);
        uint rank = WaveMultiPrefixCountBits(true, same);
        uint4 sizes = countbits(same);
        uint size = sizes.x + sizes.y + sizes.z + sizes.w;
        if (rank == size - 1) counts[wave][digit] = size;
        GroupMemoryBarrierWithGroupSync();
        if (t < 4) {
            uint sum = 0;
            for (uint w = 0; w < 8; ++w) {
                uint count = counts[w][t];
                counts[w][t] = sum;
                sum += count;
            }
            starts[t] = sum;
        }
        GroupMemoryBarrierWithGroupSync();
        uint start = counts[wave][digit] + rank;
        for (uint d = 0; d < digit; ++d) start += starts[d];
        keys[start] = key;
        GroupMemoryBarrierWithGroupSync();
    }
    Out[t] = keys[t];
}

//--- san-kernel-lock-that-each-lane-takes
//# groups 4 1 1
//# zero Lock 4
//# zero Count 4
//= Count u32: 128
RWStructuredBuffer<uint> Lock;
globallycoherent RWStructuredBuffer<uint> Count;
[numthreads(32, 1, 1)]
void main() {
    bool done = false;
    while (!done) {
        uint before;
        InterlockedCompareExchange(Lock[0], 0, 1, before);
        if (before == 0) {
            Count[0] = Count[0] + 1;
            DeviceMemoryBarrier();
            InterlockedExchange(Lock[0], 0, before);
            done = true;
        }
    }
}
