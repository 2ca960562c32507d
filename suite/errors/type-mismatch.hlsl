// Not everything converts to everything.

//--- a-number-where-a-struct-is-wanted
struct Ray { float3 origin; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Ray r = 1; //~ error[type-mismatch]: does not convert to `Ray`
}

//--- too-few-components
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = float2(1, 2); //~ error[type-mismatch]: `float2` does not convert to `float4`
}

//--- a-value-from-a-function-that-returns-nothing
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    return t; //~ error[type-mismatch]: returns nothing
}
