// Array sizes, case labels and the like are constant expressions.

//--- a-size-from-a-variable
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 4;
    uint a[n]; //~ error[not-constant]: the size of an array
}
//| FILE:5:12: error: the size of an array must be known at compile time [not-constant]
//|   |
//| 4 |     uint n = 4;
//|   |          - `n` is a variable
//| 5 |     uint a[n];
//|   |            ^
//|   |
//|   = help: declare `n` as `static const`, with a constant initialiser

//--- a-broadcast-from-a-lane-that-varies
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveBroadcastLaneAt(t, t); //~ error[not-constant]: index of a lane
}
//| FILE:5:37: error: the index of a lane of `WaveBroadcastLaneAt` must be known at compile time [not-constant]
//|   |
//| 5 |     uint x = WaveBroadcastLaneAt(t, t);
//|   |                                     ^
