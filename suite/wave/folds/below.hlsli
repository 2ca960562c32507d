// The active lanes below this one are folded.
#define END t
#define MEMBER active(lane)
#include "fold.hlsli"
