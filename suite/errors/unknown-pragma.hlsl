// Pragmas for other tools are passed over, with a warning for each kind.

//--- a-pragma-of-another-tool
#pragma kernel main //~ warning[unknown-pragma]: kernel
#pragma kernel other
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}
