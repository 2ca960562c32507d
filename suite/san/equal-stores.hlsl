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

//--- san-some-threads-store-the-same-value-and-others-do-not
// The first two threads agree; that is the lesser half of a race.
//# zero Found 4
RWStructuredBuffer<uint> Found;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Found[0] = t / 2; //? race: nothing orders these two accesses
}

//--- san-values-that-are-the-same-until-a-later-round
//# zero Found 4
RWStructuredBuffer<uint> Found;
[numthreads(128, 1, 1)]
void main(uint t : SV_GroupIndex) {
    for (uint i = 0; i < 3; ++i) Found[0] = i < 2 ? i : t; //? race: nothing orders these two accesses
}
