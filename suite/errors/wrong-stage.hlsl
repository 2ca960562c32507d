// Features of other shader stages.

//--- discard-in-a-compute-shader
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    discard; //~ error[wrong-stage]: pixel shaders
}
//| FILE:4:5: error: `discard` is only available in pixel shaders [wrong-stage]
//|   |
//| 4 |     discard;
//|   |     ^^^^^^^^
