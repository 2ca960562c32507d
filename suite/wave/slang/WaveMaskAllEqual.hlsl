// WaveMaskAllEqual asks the lanes that a 32-bit mask names.

//--- wave-mask-all-equal-in-the-lanes-of-the-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(!WaveMaskAllEqual(WaveActiveBallot(true).x, t & 1));
    if (t & 1) EXPECT(WaveMaskAllEqual(WaveActiveBallot(true).x, uint2(t & 1, 5)));
}
