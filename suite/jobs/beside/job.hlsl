// The shader of `job.yaml` in this folder.
RWStructuredBuffer<uint> Out : register(u0);

[WaveSize(16)]
[numthreads(32, 1, 1)]
void half_of_the_group(uint i : SV_GroupIndex) {
    Out[i] = WavePrefixSum(1u) + 100 * WaveGetLaneCount();
}
