// Wave masks that do not name the active lanes.

//--- san-a-mask-of-everyone-in-a-branch
//# args --dialect slang -Wno-slang-only
//# widths 8..32
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 4) Out[t] = WaveMaskSum(0xffffffff, t); //? bad-wave-mask: does not name the active lanes
}

//--- san-the-mask-of-those-who-are-here
//# args --dialect slang -Wno-slang-only
//# widths 8..32
//# zero Out 512
//= Out u32: 6 6 6 6
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 4) Out[t] = WaveMaskSum(WaveGetActiveMask(), t);
}
