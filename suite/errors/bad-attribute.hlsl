// Groups have a largest size.

//--- too-many-threads
[numthreads(64, 64, 1)] //~ error[bad-attribute]: at most 1024
void main() {}

//--- no-threads
[numthreads(0, 1, 1)] //~ error[bad-attribute]: 1 to 1024
void main() {}
