// Indices into arrays of resources beyond their end.

//--- san-more-threads-than-buffers
//# widths 4
//# args -T cs_6_6
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 16
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = Parts[NonUniformResourceIndex(t)][0]; //? descriptor-out-of-range: `Parts` is indexed beyond its end
}

//--- san-as-many-threads-as-buffers
//# args -T cs_6_6
//# zero Parts[0] 4
//# zero Parts[1] 4
//# zero Out 16
RWStructuredBuffer<uint> Parts[2];
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = t < 2 ? Parts[NonUniformResourceIndex(t)][0] : 0;
}
//= Out u32: 0*4
