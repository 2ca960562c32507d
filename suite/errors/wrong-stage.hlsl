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

//--- a-group-barrier-in-a-pixel-shader
//# args -T ps_6_6 -E ps
float4 ps(float4 p : SV_Position) : SV_Target {
    AllMemoryBarrierWithGroupSync(); //~ error[wrong-stage]: no thread groups
    return p;
}
//| FILE:4:5: error: `AllMemoryBarrierWithGroupSync` is not available in a pixel shader, which has no thread groups [wrong-stage]
//|   |
//| 4 |     AllMemoryBarrierWithGroupSync();
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `DeviceMemoryBarrier()` orders buffers and textures in every stage

//--- a-barrier-for-groupshared-memory-in-a-vertex-shader
//# args -T vs_6_0 -E vs
float4 vs(uint v : SV_VertexID) : SV_Position {
    GroupMemoryBarrier(); //~ error[wrong-stage]: no thread groups
    return v;
}
//| FILE:4:5: error: `GroupMemoryBarrier` is not available in a vertex shader, which has no thread groups [wrong-stage]
//|   |
//| 4 |     GroupMemoryBarrier();
//|   |     ^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `DeviceMemoryBarrier()` orders buffers and textures in every stage

//--- flags-of-the-group-in-a-pixel-shader
//# args -T ps_6_8 -E ps
float4 ps(float4 p : SV_Position) : SV_Target {
    Barrier(ALL_MEMORY, DEVICE_SCOPE);
    Barrier(UAV_MEMORY, GROUP_SYNC | GROUP_SCOPE); //~ error[wrong-stage]: no thread groups
    Barrier(GROUP_SHARED_MEMORY, 0); //~ error[wrong-stage]: no thread groups
    return p;
}
//| FILE:5:5: error: `Barrier` is not available in a pixel shader, which has no thread groups [wrong-stage]
//|   |
//| 5 |     Barrier(UAV_MEMORY, GROUP_SYNC | GROUP_SCOPE);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `Barrier(UAV_MEMORY, DEVICE_SCOPE)` orders buffers and textures in every stage
//|
//| FILE:6:5: error: `Barrier` is not available in a pixel shader, which has no thread groups [wrong-stage]
//|   |
//| 6 |     Barrier(GROUP_SHARED_MEMORY, 0);
//|   |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `Barrier(UAV_MEMORY, DEVICE_SCOPE)` orders buffers and textures in every stage

//--- device-memory-is-ordered-in-every-stage
//# args -T ps_6_6 -E ps
RWByteAddressBuffer Bytes;
float4 ps(float4 p : SV_Position) : SV_Target {
    Bytes.Store(0, 1);
    DeviceMemoryBarrier();
    return Bytes.Load(4);
}

//--- groupshared-memory-in-a-pixel-shader
//# args -T ps_6_6 -E ps
groupshared uint Sums[4]; //~ error[wrong-stage]: no thread groups
uint ps(float4 p : SV_Position) : SV_Target {
    return Sums[1];
}
//| FILE:3:18: error: groupshared memory, such as `Sums`, is not available in a pixel shader, which has no thread groups [wrong-stage]
//|   |
//| 3 | groupshared uint Sums[4];
//|   |                  ^^^^

//--- groupshared-memory-that-another-entry-point-uses
//# args -T ps_6_6 -E ps
groupshared uint Sums[4];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Sums[t & 3] = t;
    GroupMemoryBarrierWithGroupSync();
}
uint ps(float4 p : SV_Position) : SV_Target {
    return 1;
}

//--- derivatives-in-a-vertex-shader
//# args -T vs_6_6 -E vs
Texture2D<float4> T;
SamplerState S;
float4 vs(float2 v : V) : SV_Position {
    float4 level = T.Sample(S, v); //~ error[wrong-stage]: quads
    return level + ddx(v.x); //~ error[wrong-stage]: quads
}
//| FILE:6:20: error: `Sample` takes derivatives, which a vertex shader does not have: its lanes form no quads [wrong-stage]
//|   |
//| 6 |     float4 level = T.Sample(S, v);
//|   |                    ^^^^^^^^^^^^^^
//|
//| FILE:7:20: error: `ddx` takes derivatives, which a vertex shader does not have: its lanes form no quads [wrong-stage]
//|   |
//| 7 |     return level + ddx(v.x);
//|   |                    ^^^^^^^^
