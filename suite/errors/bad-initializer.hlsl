// Initialiser lists have exactly as many values as the type needs.

//--- a-value-too-few
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = { 1, 2, 3 }; //~ error[bad-initializer]: `float4` takes 4 values, but the list has 3
}
//| FILE:4:16: error: `float4` takes 4 values, but the list has 3 [bad-initializer]
//|   |
//| 4 |     float4 v = { 1, 2, 3 };
//|   |                ^^^^^^^^^^^

//--- a-constructor-with-too-many
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 v = float2(1, 2, 3); //~ error[bad-initializer]: 2 components
}
//| FILE:4:16: error: `float2` has 2 components, but the arguments have 3 [bad-initializer]
//|   |
//| 4 |     float2 v = float2(1, 2, 3);
//|   |                ^^^^^^^^^^^^^^^
