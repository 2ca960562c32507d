// A file that includes itself without end is found before the limits are.

//--- an-include-without-end
#include "loop/again.hlsli"
[numthreads(4, 1, 1)] void main() {}
