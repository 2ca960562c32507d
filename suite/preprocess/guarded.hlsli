// Included by sections of this folder, by some of them several times.
#ifndef GUARDED_HLSLI
#define GUARDED_HLSLI
uint guarded(uint x) { return x + 2; }
#endif
