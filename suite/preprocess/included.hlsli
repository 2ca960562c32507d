// Included by sections of this folder, several times by some.
#pragma once
uint included(uint x) { return x + 1; }
