// Only variables and elements of writable buffers can be written.

//--- a-buffer-that-is-read-only
StructuredBuffer<uint> input;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    input[t] = 1; //~ error[not-assignable]: cannot be written
}

//--- a-component-twice
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = 0;
    v.xx = 1; //~ error[not-assignable]: twice
}

//--- an-atomic-on-a-variable-of-one-lane
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = 0;
    InterlockedAdd(sum, t); //~ error[not-assignable]: lanes share
}
