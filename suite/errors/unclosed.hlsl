// What is opened must be closed; the report points at the opening.

//--- a-block-that-is-never-closed
[numthreads(4, 1, 1)]
void main() { //~ error[unclosed]:

//--- a-comment-that-is-never-closed
[numthreads(4, 1, 1)] void main() {}
/* and so on //~ error[unclosed]:
