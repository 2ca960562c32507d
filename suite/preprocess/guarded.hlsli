// Included by sections of this folder, several times by some.
#ifndef GUARDED_HLSLI
#define GUARDED_HLSLI
uint guarded(uint x) { return x + 2; }
#endif
