// Lists hold exactly as many values as are wanted.

//--- a-value-too-few
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = { 1, 2, 3 }; //~ error[bad-initializer]: takes 4 values, and the list has 3
}

//--- a-constructor-with-too-many
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 v = float2(1, 2, 3); //~ error[bad-initializer]: 2 components
}
