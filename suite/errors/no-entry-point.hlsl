// Compilation starts somewhere.

//--- an-entry-point-by-another-name
//# args -E CSMain
[numthreads(4, 1, 1)] void main() {} //~ error[no-entry-point]: `CSMain`
