// The expression of a condition must have a value.

//--- a-condition-that-lacks-an-operand
#if WIDTH > //~ error[bad-condition]:
#endif
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:12: error: expected a value at the end of this condition [bad-condition]
//|   |
//| 2 | #if WIDTH >
//|   |            ^

//--- a-condition-that-divides-by-zero
#if 8 / UNDEFINED //~ error[bad-condition]:
#endif
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:7: error: division by zero in a condition [bad-condition]
//|   |
//| 2 | #if 8 / UNDEFINED
//|   |       ^
