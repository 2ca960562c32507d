// Every condition is closed in its own file.

//--- a-condition-that-is-never-closed
[numthreads(4, 1, 1)] void main() {}
#ifdef WIDTH //~ error[unbalanced-condition]:

//--- an-endif-without-an-if
#endif //~ error[unbalanced-condition]:
[numthreads(4, 1, 1)] void main() {}
