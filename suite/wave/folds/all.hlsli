// Every active lane is folded.
#define END WIDTH
#define MEMBER active(lane)
#include "fold.hlsli"
