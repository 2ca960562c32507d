// Reading a lane that does not take part.

//--- san-reads-lane-zero-which-has-left
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t > 0) {
        x = WaveReadLaneAt(t, 0); //? inactive-lane-read: lane 0 is read while inactive
    }
    Out[t] = x;
}

//--- san-reads-the-first-active-lane
//# zero Out 512
//= Out u32: 0 1 1 1
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    if (t > 0) x = WaveReadLaneFirst(t);
    Out[t] = x;
}

//--- san-an-unused-bad-value
//# zero Out 512
//= Out u32: 0 1 2 3
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = 0;
    if (t > 0) x = WaveReadLaneAt(t, 0);
    x = t;
    Out[t] = x;
}
