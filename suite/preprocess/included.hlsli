// Included by sections of this folder, by some of them several times.
#pragma once
uint included(uint x) { return x + 1; }
