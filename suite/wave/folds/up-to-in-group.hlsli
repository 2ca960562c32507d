// The active lanes up to and with this one are folded, if they are of its group.
#define END t + 1
#define MEMBER active(lane) && lane % 3 == t % 3
#include "fold.hlsli"
