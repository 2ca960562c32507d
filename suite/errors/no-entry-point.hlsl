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
//|   |
//|   = help: did you mean `-E main`?

//--- an-entry-point-with-a-slip-of-the-pen
//# args -E BlockScna
[numthreads(4, 1, 1)] void Reduce() {}
[numthreads(4, 1, 1)] void BlockScan() {} //~ error[no-entry-point]: `BlockScna`
//| FILE:4:42: error: the entry point `BlockScna` is not declared [no-entry-point]
//|   |
//| 3 | [numthreads(4, 1, 1)] void Reduce() {}
//|   |                            ------ `-E Reduce` selects this one
//| 4 | [numthreads(4, 1, 1)] void BlockScan() {}
//|   |                            ---------     ^
//|   |                            |
//|   |                            `-E BlockScan` selects this one
//|   |
//|   = help: did you mean `-E BlockScan`?

//--- an-entry-point-of-a-file-with-other-stages
//# args -T ps_6_0
float4 VSMain(float4 p : POSITION) : SV_Position { return p; }
float4 PSMain(float4 p : SV_Position) : SV_Target { return p; } //~ error[no-entry-point]: the entry point `main` is not declared
//| FILE:4:64: error: the entry point `main` is not declared [no-entry-point]
//|   |
//| 3 | float4 VSMain(float4 p : POSITION) : SV_Position { return p; }
//|   |        ------ `-E VSMain` selects this one
//| 4 | float4 PSMain(float4 p : SV_Position) : SV_Target { return p; }
//|   |        ------                                                  ^
//|   |        |
//|   |        `-E PSMain` selects this one
