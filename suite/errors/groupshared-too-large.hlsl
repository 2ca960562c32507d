// A group has 32768 bytes.

//--- a-tile-too-large
groupshared float4 tile[4096]; //~ error[groupshared-too-large]: 65536 bytes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = 1;
}
