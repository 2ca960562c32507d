#include "again.hlsli"
