// A compute shader declares the size of its groups.

//--- no-numthreads
void main() {} //~ error[bad-entry-point]: numthreads
//| FILE:2:6: error: a compute shader needs `[numthreads(x, y, z)]` before its entry point [bad-entry-point]
//|   |
//| 2 | void main() {}
//|   |      ^^^^
//|   |
//|   = help: `[numthreads(32, 1, 1)]` makes groups of 32 threads in a row
