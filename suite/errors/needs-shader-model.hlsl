// Functions of later shader models.

//--- match-before-6-5
//# args -T cs_6_4
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 m = WaveMatch(t); //~ error[needs-shader-model]: `WaveMatch` requires shader model 6.5, but the profile has 6.4
}
//| FILE:5:15: error: `WaveMatch` requires shader model 6.5, but the profile has 6.4 [needs-shader-model]
//|   |
//| 5 |     uint4 m = WaveMatch(t);
//|   |               ^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_5`

//--- a-wave-size-before-6-6
//# args -T cs_6_5
[WaveSize(32)] //~ error[needs-shader-model]: 6.6
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:1: error: `WaveSize` requires shader model 6.6, but the profile has 6.5 [needs-shader-model]
//|   |
//| 3 | [WaveSize(32)]
//|   | ^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_6`

//--- a-range-before-6-8
//# args -T cs_6_6
[WaveSize(16, 32)] //~ error[needs-shader-model]: 6.8
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:1: error: `WaveSize with several arguments` requires shader model 6.8, but the profile has 6.6 [needs-shader-model]
//|   |
//| 3 | [WaveSize(16, 32)]
//|   | ^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_8`

//--- wide-atomics-before-6-6
//# args -T cs_6_5
groupshared uint64_t total;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    InterlockedAdd(total, 1); //~ error[needs-shader-model]: `InterlockedAdd` on 64-bit integers requires shader model 6.6, but the profile has 6.5
}
//| FILE:6:5: error: `InterlockedAdd` on 64-bit integers requires shader model 6.6, but the profile has 6.5 [needs-shader-model]
//|   |
//| 6 |     InterlockedAdd(total, 1);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_6`

//--- an-integer-texture-sampled-before-6-7
//# args -T cs_6_6
Texture2D<uint> ids : register(t0);
SamplerState nearest : register(s0);
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint id = ids.SampleLevel(nearest, float2(0, 0), 0); //~ error[needs-shader-model]: `SampleLevel` from a texture of integers
}
//| FILE:7:15: error: `SampleLevel` from a texture of integers requires shader model 6.7, but the profile has 6.6 [needs-shader-model]
//|   |
//| 7 |     uint id = ids.SampleLevel(nearest, float2(0, 0), 0);
//|   |               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_7`

//--- a-groupshared-limit-before-6-10
//# args -T cs_6_9
[GroupSharedLimit(65536)] //~ error[needs-shader-model]: `GroupSharedLimit` requires shader model 6.10, but the profile has 6.9
[numthreads(WIDTH, 1, 1)] void main() {}
//| FILE:3:1: error: `GroupSharedLimit` requires shader model 6.10, but the profile has 6.9 [needs-shader-model]
//|   |
//| 3 | [GroupSharedLimit(65536)]
//|   | ^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_10`

//--- helper-lanes-in-wave-operations-before-6-7
//# args -T ps_6_6
[WaveOpsIncludeHelperLanes] //~ error[needs-shader-model]: `WaveOpsIncludeHelperLanes` requires shader model 6.7, but the profile has 6.6
float4 main() : SV_Target { return WaveActiveSum(1.0f); }
//| FILE:3:1: error: `WaveOpsIncludeHelperLanes` requires shader model 6.7, but the profile has 6.6 [needs-shader-model]
//|   |
//| 3 | [WaveOpsIncludeHelperLanes]
//|   | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T ps_6_7`
