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

//--- a-groupshared-limit-that-is-not-a-multiple-of-4
//# args -T cs_6_10
[GroupSharedLimit(1001)] //~ error[bad-attribute]: `GroupSharedLimit` must be a multiple of 4, not 1001
[numthreads(WIDTH, 1, 1)] void main() {}
//| FILE:3:19: error: `GroupSharedLimit` must be a multiple of 4, not 1001 [bad-attribute]
//|   |
//| 3 | [GroupSharedLimit(1001)]
//|   |                   ^^^^

//--- a-negative-groupshared-limit
//# args -T cs_6_10
[GroupSharedLimit(-4)] //~ error[bad-attribute]: `GroupSharedLimit` must be from 0 to 2147483647, not -4
[numthreads(WIDTH, 1, 1)] void main() {}
//| FILE:3:19: error: `GroupSharedLimit` must be from 0 to 2147483647, not -4 [bad-attribute]
//|   |
//| 3 | [GroupSharedLimit(-4)]
//|   |                   ^^

//--- a-groupshared-limit-without-a-number
//# args -T cs_6_10
[GroupSharedLimit] //~ error[bad-attribute]: `GroupSharedLimit` takes 1 argument, but 0 were given
[numthreads(WIDTH, 1, 1)] void main() {}
//| FILE:3:1: error: `GroupSharedLimit` takes 1 argument, but 0 were given [bad-attribute]
//|   |
//| 3 | [GroupSharedLimit]
//|   | ^^^^^^^^^^^^^^^^^^

//--- two-groupshared-limits
//# args -T cs_6_10
[GroupSharedLimit(1024)]
[GroupSharedLimit(1024)] //~ error[bad-attribute]: an entry point has only one `GroupSharedLimit`
[numthreads(WIDTH, 1, 1)] void main() {}
//| FILE:4:1: error: an entry point has only one `GroupSharedLimit` [bad-attribute]
//|   |
//| 3 | [GroupSharedLimit(1024)]
//|   | ------------------------ the first one
//| 4 | [GroupSharedLimit(1024)]
//|   | ^^^^^^^^^^^^^^^^^^^^^^^^
