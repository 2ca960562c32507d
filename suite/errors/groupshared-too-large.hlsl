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
