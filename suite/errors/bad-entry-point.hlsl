// A compute shader says how large its groups are.

//--- no-numthreads
void main() {} //~ error[bad-entry-point]: numthreads
