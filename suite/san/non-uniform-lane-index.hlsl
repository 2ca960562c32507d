// Lane indices that differ from lane to lane, reported on request.

//--- san-every-lane-reads-its-neighbour
//# san --uniform-lane-index
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WaveReadLaneAt(t, t ^ 1); //? non-uniform-lane-index: lanes read different lanes
}

//--- san-all-lanes-read-one
//# san --uniform-lane-index
//# zero Out 512
//= Out u32: 1 1 1 1
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = WaveReadLaneAt(t, 1);
}
