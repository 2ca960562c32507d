// The import of the first wave draft never existed, and nobody needs it.

//--- the-import-of-the-draft
@import waveOps.h; //~ error[import-statement]:
[numthreads(4, 1, 1)] void main() {}
