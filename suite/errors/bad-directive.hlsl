// A directive that is unknown or incomplete is passed over, and said so.

//--- a-misspelt-directive
#inclide "math.hlsl" //~ error[bad-directive]: inclide
[numthreads(4, 1, 1)] void main() {}

//--- a-define-without-a-name
#define //~ error[bad-directive]:
[numthreads(4, 1, 1)] void main() {}
