// Quad operations without the whole quad.

//--- san-the-fourth-lane-of-the-quad-is-elsewhere
//# zero Out 512
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 3) Out[t] = QuadReadAcrossX(t); //? incomplete-quad: a quad operation where the quad is not complete
}

//--- san-a-derivative-in-a-part-of-a-quad
//# zero Out 512
RWStructuredBuffer<float> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t % 4 != 3) Out[t] = ddx(float(t)); //? incomplete-quad: a derivative where the quad is not complete
}

//--- san-whole-quads-take-the-branch
//# zero Out 512
//= Out u32: 1 0 3 2
RWStructuredBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t < 4) Out[t] = QuadReadAcrossX(t);
}
