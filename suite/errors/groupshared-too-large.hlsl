// A group has 32768 bytes of groupshared memory.

//--- a-tile-too-large
groupshared float4 tile[4096]; //~ error[groupshared-too-large]: 65536 bytes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = 1;
}
//| FILE:2:20: error: the groupshared variables take 65536 bytes, but a group has only 32768 [groupshared-too-large]
//|   |
//| 2 | groupshared float4 tile[4096];
//|   |                    ^^^^ `tile` takes 65536 of them
//|   |
//|   = help: from shader model 6.10 on, `[GroupSharedLimit(65536)]` before the entry point allows more

//--- a-tile-larger-than-the-limit-of-its-entry-point
//# args -T cs_6_10
groupshared float4 tile[4096]; //~ error[groupshared-too-large]: `main` uses 65536 bytes of groupshared memory, but its `[GroupSharedLimit]` allows only 65532
[GroupSharedLimit(65532)]
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = 1;
}
//| FILE:3:20: error: `main` uses 65536 bytes of groupshared memory, but its `[GroupSharedLimit]` allows only 65532 [groupshared-too-large]
//|   |
//| 3 | groupshared float4 tile[4096];
//|   |                    ^^^^ `tile` takes 65536 of them
//| 4 | [GroupSharedLimit(65532)]
//|   | ------------------------- the limit

//--- a-small-tile-larger-than-a-smaller-limit
//# args -T cs_6_10
groupshared float4 tile[64]; //~ error[groupshared-too-large]: allows only 0
[GroupSharedLimit(0)]
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = 1;
}
//| FILE:3:20: error: `main` uses 1024 bytes of groupshared memory, but its `[GroupSharedLimit]` allows only 0 [groupshared-too-large]
//|   |
//| 3 | groupshared float4 tile[64];
//|   |                    ^^^^ `tile` takes 1024 of them
//| 4 | [GroupSharedLimit(0)]
//|   | --------------------- the limit

//--- a-tile-too-large-for-a-mesh-shader-of-a-library
//# args -T lib_6_10
groupshared uint tile[7169]; //~ error[groupshared-too-large]: take 28676 bytes, but a group has only 28672
[shader("compute")]
[numthreads(WIDTH, 1, 1)]
void small(uint t : SV_GroupIndex) { tile[t] = 1; }
[shader("mesh")]
[outputtopology("triangle")]
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) { tile[t] = 1; }
//| FILE:3:18: error: the groupshared variables take 28676 bytes, but a group has only 28672 [groupshared-too-large]
//|   |
//| 3 | groupshared uint tile[7169];
//|   |                  ^^^^ `tile` takes 28676 of them
//|   |
//|   = help: from shader model 6.10 on, `[GroupSharedLimit(28676)]` before the entry point allows more
