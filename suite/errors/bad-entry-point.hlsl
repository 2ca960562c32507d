// A compute shader declares the size of its groups.

//--- no-numthreads
void main() {} //~ error[bad-entry-point]: numthreads
//| FILE:2:6: error: a compute shader needs `[numthreads(x, y, z)]` before its entry point [bad-entry-point]
//|   |
//| 2 | void main() {}
//|   |      ^^^^
//|   |
//|   = help: `[numthreads(32, 1, 1)]` makes groups of 32 threads in a row

//--- a-pixel-shader-without-its-profile
float4 main(float4 p : SV_Position) : SV_Target { return p; } //~ error[bad-entry-point]: belongs to a pixel shader
//| FILE:2:8: error: `SV_Target` belongs to a pixel shader, and this is compiled as a compute shader [bad-entry-point]
//|   |
//| 2 | float4 main(float4 p : SV_Position) : SV_Target { return p; }
//|   |        ^^^^
//|   |
//|   = help: `-T ps_6_0` compiles a pixel shader
