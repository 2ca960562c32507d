// The active lanes below this one are folded, if they are of its group.
#define END t
#define MEMBER active(lane) && lane % 3 == t % 3
#include "fold.hlsli"
