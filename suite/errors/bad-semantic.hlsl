// Inputs of a compute shader have one of four semantics.

//--- a-semantic-by-a-slip
[numthreads(4, 1, 1)] void main(uint t : SV_GroupIdnex) {} //~ error[bad-semantic]: `SV_GroupIdnex` is not an input of a compute shader
//| FILE:2:42: error: `SV_GroupIdnex` is not an input of a compute shader [bad-semantic]
//|   |
//| 2 | [numthreads(4, 1, 1)] void main(uint t : SV_GroupIdnex) {}
//|   |                                          ^^^^^^^^^^^^^
//|   |
//|   = help: a similar name is `SV_GroupIndex`
//|   |
//| 2 - [numthreads(4, 1, 1)] void main(uint t : SV_GroupIdnex) {}
//| 2 + [numthreads(4, 1, 1)] void main(uint t : SV_GroupIndex) {}

//--- a-parameter-without-one
[numthreads(4, 1, 1)] void main(uint t) {} //~ error[bad-semantic]: `t` has no semantic
//| FILE:2:38: error: `t` has no semantic [bad-semantic]
//|   |
//| 2 | [numthreads(4, 1, 1)] void main(uint t) {}
//|   |                                      ^
//|   |
//|   = help: with `: SV_DispatchThreadID` it is the index of the thread in the dispatch
