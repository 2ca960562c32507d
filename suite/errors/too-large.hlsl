// Macros that expand exponentially, and buffers beyond their limit, end with an error.

//--- a-macro-bomb
#define A0 x x x x x x x x x x x x x x x x
#define A1 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0
#define A2 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1
#define A3 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2
#define A4 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3 A3
#define A5 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4 A4
#define A6 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5 A5
#define A7 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6 A6
A7 //~ error[too-large]:
[numthreads(4, 1, 1)] void main() {}
//| FILE:10:1: error: macros expand to more than 4194304 tokens [too-large]
//|    |
//| 10 | A7
//|    | ^^
//|   ::: FILE:5:57: in the expansion of macro `A3`
//|    |
//|  5 | #define A3 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2 A2
//|    |                                                         --
//|   ::: FILE:4:57: in the expansion of macro `A2`
//|    |
//|  4 | #define A2 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1 A1
//|    |                                                         --
//|   ::: FILE:3:51: in the expansion of macro `A1`
//|    |
//|  3 | #define A1 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0 A0
//|    |                                                   --
//|   ::: FILE:2:12: in the expansion of macro `A0`
//|    |
//|  2 | #define A0 x x x x x x x x x x x x x x x x
//|    |            -

//--- a-constant-buffer-beyond-its-limit
cbuffer Lights : register(b0) { float4 lights[4097]; } //~ error[too-large]: `Lights` takes 65552 bytes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float first = lights[t].x;
}
//| FILE:2:9: error: `Lights` takes 65552 bytes, but a constant buffer holds at most 65536 [too-large]
//|   |
//| 2 | cbuffer Lights : register(b0) { float4 lights[4097]; }
//|   |         ^^^^^^
//|   |
//|   = help: use a `StructuredBuffer` or a `ByteAddressBuffer`, which can be larger
