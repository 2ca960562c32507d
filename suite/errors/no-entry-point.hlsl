// Compilation needs an entry point.

//--- an-entry-point-by-another-name
//# args -E CSMain
[numthreads(4, 1, 1)] void main() {} //~ error[no-entry-point]: `CSMain`
//| FILE:3:37: error: the entry point `CSMain` is not declared [no-entry-point]
//|   |
//| 3 | [numthreads(4, 1, 1)] void main() {}
//|   |                            ----     ^
//|   |                            |
//|   |                            `-E main` selects this one
