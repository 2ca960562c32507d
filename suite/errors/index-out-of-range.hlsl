// Constant indices must be in range.

//--- a-component-that-is-not-there
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 v = 0;
    v.w = 1; //~ error[index-out-of-range]: 3 components
}
//| FILE:5:7: error: `float3` has 3 components, but this is component 4 [index-out-of-range]
//|   |
//| 5 |     v.w = 1;
//|   |       ^

//--- an-element-behind-the-end
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[3] = { 1, 2, 3 };
    a[3] = t; //~ error[index-out-of-range]: 3 elements
}
//| FILE:5:7: error: the index is 3, but `uint[3]` has 3 elements [index-out-of-range]
//|   |
//| 5 |     a[3] = t;
//|   |       ^

//--- a-vertex-that-no-primitive-has
//# args -T ps_6_1
float main(nointerpolation float x : X) : SV_Target {
    return GetAttributeAtVertex(x, 3); //~ error[index-out-of-range]: vertices 0 to 2, not 3
}
//| FILE:4:36: error: a primitive has the vertices 0 to 2, not 3 [index-out-of-range]
//|   |
//| 4 |     return GetAttributeAtVertex(x, 3);
//|   |                                    ^
