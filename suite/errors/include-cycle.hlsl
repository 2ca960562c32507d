// A file that includes itself without end is found before the limits are.

//--- an-include-without-end
#include "include-cycle.hlsl" //~ error[include-cycle]: includes itself
[numthreads(4, 1, 1)] void main() {}
