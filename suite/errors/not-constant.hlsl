// Sizes, labels and their like are known at compile time.

//--- a-size-from-a-variable
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 4;
    uint a[n]; //~ error[not-constant]: the size of an array
}

//--- a-broadcast-from-a-lane-that-varies
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveBroadcastLaneAt(t, t); //~ error[not-constant]: index of a lane
}
