// A missing token is reported right after the last valid one.

//--- a-missing-semicolon
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = WaveActiveSum(i) //~ error[syntax]: expected
    uint twice = sum * 2;
}
//| FILE:4:32: error: expected `;` after this declaration [syntax]
//|   |
//| 4 |     uint sum = WaveActiveSum(i)
//|   |                                ^
//|   |
//|   = help: add the `;`
//|   |
//| 4 -     uint sum = WaveActiveSum(i)
//| 4 +     uint sum = WaveActiveSum(i);

//--- no-semicolon-before-an-attribute
RWStructuredBuffer<uint> Buffer //~ error[syntax]: expected `;` after this declaration
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) { Buffer[t] = t; }
//| FILE:2:32: error: expected `;` after this declaration [syntax]
//|   |
//| 2 | RWStructuredBuffer<uint> Buffer
//|   |                                ^
//|   |
//|   = help: add the `;`
//|   |
//| 2 - RWStructuredBuffer<uint> Buffer
//| 2 + RWStructuredBuffer<uint> Buffer;

//--- no-semicolon-before-an-attribute-of-a-loop
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = t //~ error[syntax]: expected `;` after this declaration
    [unroll] for (uint k = 0; k < 4; k++) sum += k;
}
//| FILE:4:17: error: expected `;` after this declaration [syntax]
//|   |
//| 4 |     uint sum = t
//|   |                 ^
//|   |
//|   = help: add the `;`
//|   |
//| 4 -     uint sum = t
//| 4 +     uint sum = t;

//--- an-index-on-a-line-of-its-own
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint loop = 1, all[2] = { 3, 4 };
    EXPECT_EQ(all
        [loop + 0], 4);
}

//--- there-are-no-pointers
void f(uint* p) {} //~ error[syntax]: HLSL has no pointers
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    f(&t); //~ error[syntax]: HLSL has no references and no addresses
}
//| FILE:2:12: error: HLSL has no pointers [syntax]
//|   |
//| 2 | void f(uint* p) {}
//|   |            ^
//|   |
//|   = help: pass an index into a buffer, or use an `inout` parameter
//|
//| FILE:5:7: error: HLSL has no references and no addresses [syntax]
//|   |
//| 5 |     f(&t);
//|   |       ^
//|   |
//|   = help: an `out` or `inout` parameter passes a variable: `void f(inout uint x)`

//--- an-effect-file
[numthreads(WIDTH, 1, 1)] void main() {}
technique11 T { pass P { SetComputeShader(CompileShader(cs_5_0, main())); } } //~ error[syntax]: belongs to effect files
//| FILE:3:1: error: `technique11` belongs to effect files; HLSL 6 has none [syntax]
//|   |
//| 3 | technique11 T { pass P { SetComputeShader(CompileShader(cs_5_0, main())); } }
//|   | ^^^^^^^^^^^
//|   |
//|   = help: remove the block: `-E` names the entry point, and `-T` its stage

//--- a-file-in-wgsl
@group(0) @binding(0) var<storage, read_write> data: array<u32>; //~ error[syntax]: this looks like WGSL
@compute @workgroup_size(64) fn main() {}
//| FILE:2:1: error: this looks like WGSL; wavelane reads HLSL [syntax]
//|   |
//| 2 | @group(0) @binding(0) var<storage, read_write> data: array<u32>;
//|   | ^
