// Unordered stores of the same value.

//--- san-a-flag-set-by-any-thread-that-finds-something
//# zero Found 4
RWStructuredBuffer<uint> Found;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t & 1) Found[0] = 1; //? equal-stores: written twice with the same value
}

//--- san-one-lane-says-it-for-all
//# zero Found 4
//= Found u32: 1
RWStructuredBuffer<uint> Found;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (WaveActiveAnyTrue(t & 1) && WaveIsFirstLane()) Found[0] = 1;
}
