// Constant indices must be inside.

//--- a-component-that-is-not-there
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 v = 0;
    v.w = 1; //~ error[index-out-of-range]: 3 components
}

//--- an-element-behind-the-end
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[3] = { 1, 2, 3 };
    a[3] = t; //~ error[index-out-of-range]: 3 elements
}
