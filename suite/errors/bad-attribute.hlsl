// Attributes need valid arguments: groups have a maximum size.

//--- too-many-threads
[numthreads(64, 64, 1)] //~ error[bad-attribute]: at most 1024
void main() {}
//| FILE:2:1: error: a group has at most 1024 threads, not 4096 [bad-attribute]
//|   |
//| 2 | [numthreads(64, 64, 1)]
//|   | ^^^^^^^^^^^^^^^^^^^^^^^

//--- no-threads
[numthreads(0, 1, 1)] //~ error[bad-attribute]: 1 to 1024
void main() {}
//| FILE:2:13: error: a group has 1 to 1024 threads in x, not 0 [bad-attribute]
//|   |
//| 2 | [numthreads(0, 1, 1)]
//|   |             ^
