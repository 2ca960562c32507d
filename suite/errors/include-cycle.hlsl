// Infinite recursion of includes is detected before the limits are reached.

//--- an-include-without-end
#include "include-cycle.hlsl" //~ error[include-cycle]: includes itself
[numthreads(4, 1, 1)] void main() {}
//| FILE:4:10: error: `FILE` includes itself endlessly [include-cycle]
//|   |
//| 4 | #include "include-cycle.hlsl" //~ error[include-cycle]: includes itself
//|   |          ^^^^^^^^^^^^^^^^^^^^
//|  ::: FILE:4:10
//|   |
//| 4 | #include "include-cycle.hlsl" //~ error[include-cycle]: includes itself
//|   |          -------------------- the cycle starts here
//|   |
//|   = note: included from `FILE:4`, from `FILE:4`, from `FILE:4`, from `FILE:4`
//|   = note: the cycle: `FILE` → `FILE`
//|   = help: write `#pragma once` at the top of the file
