// The active lanes up to and with this one are folded.
#define END t + 1
#define MEMBER active(lane)
#include "fold.hlsli"
