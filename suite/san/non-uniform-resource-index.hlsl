// Lanes that access different elements of an array of resources.

//--- san-lanes-alternate-between-two-buffers
//# widths 4
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 16
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = Parts[t & 1][0]; //? non-uniform-resource-index: different elements of `Parts`
}

//--- san-the-index-is-marked-where-it-is-used
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 16
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = Parts[NonUniformResourceIndex(t & 1)][0];
}
//= Out u32: 0*4

//--- san-the-index-is-marked-where-it-is-computed
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 16
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint which = NonUniformResourceIndex(t & 1);
    Out[t] = Parts[which][0];
}
//= Out u32: 0*4

//--- san-a-mark-holds-only-for-its-own-access
//# widths 4
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 16
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint which = t & 1;
    uint first = Parts[NonUniformResourceIndex(which)][0];
    Out[t] = first + Parts[which][0]; //? non-uniform-resource-index: different elements of `Parts`
}

//--- san-one-element-for-each-wave
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 1024
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(256, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = Parts[t / 128][0];
}
//= Out u32: 0*256
