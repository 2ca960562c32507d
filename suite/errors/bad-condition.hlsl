// The expression of a condition must have a value.

//--- a-condition-that-lacks-an-operand
#if WIDTH > //~ error[bad-condition]:
#endif
[numthreads(4, 1, 1)] void main() {}

//--- a-condition-that-divides-by-zero
#if 8 / UNDEFINED //~ error[bad-condition]:
#endif
[numthreads(4, 1, 1)] void main() {}
