// Every active lane is folded, if they are of its group.
#define END WIDTH
#define MEMBER active(lane) && lane % 3 == t % 3
#include "fold.hlsli"
