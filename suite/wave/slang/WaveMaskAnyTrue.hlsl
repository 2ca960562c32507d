// WaveMaskAnyTrue asks the lanes that a 32-bit mask names.

//--- wave-mask-any-true-in-the-lanes-of-the-mask
//# widths 4..32
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(WaveMaskAnyTrue(WaveActiveBallot(true).x, t == 1));
    if (t % 2 == 0) EXPECT(!WaveMaskAnyTrue(WaveActiveBallot(true).x, t == 1));
}
