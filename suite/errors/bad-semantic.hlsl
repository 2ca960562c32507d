// Inputs of a compute shader are one of four.

//--- a-semantic-by-a-slip
[numthreads(4, 1, 1)] void main(uint t : SV_GroupIdnex) {} //~ error[bad-semantic]: no input of a compute shader

//--- a-parameter-without-one
[numthreads(4, 1, 1)] void main(uint t) {} //~ error[bad-semantic]: it has no semantic
