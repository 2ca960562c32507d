// Unknown attributes are ignored, with a warning.

//--- an-unknown-attribute
[fastest] //~ warning[unknown-attribute]: `fastest`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(true);
}
//| FILE:2:2: warning: the attribute `fastest` has no effect here [unknown-attribute]
//|   |
//| 2 | [fastest]
//|   |  ^^^^^^^

//--- attributes-in-odd-places
[WaveSize(8)] static uint size; //~ warning[unknown-attribute]: the attribute `WaveSize` has no effect on a variable
[numthreads(8, 1, 1)] groupshared uint tile[8]; //~ warning[unknown-attribute]: the attribute `numthreads` has no effect on a variable
[fastest] static uint speed; //~ warning[unknown-attribute]: the attribute `fastest` has no effect here
[raypayloads] struct Pair { //~ warning[unknown-attribute]: the attribute `raypayloads` has no effect here
    [unroll] uint a; //~ warning[unknown-attribute]: the attribute `unroll` has no effect on a member of a struct
};
[branch] cbuffer Constants { uint c; } //~ warning[unknown-attribute]: the attribute `branch` has no effect on this declaration
[MaxRecords(1)] typedef uint Word; //~ warning[unknown-attribute]: the attribute `MaxRecords` has no effect on this declaration
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    [unroll] uint x = t; //~ warning[unknown-attribute]: the attribute `unroll` has no effect on a variable
    [branch] x++; //~ warning[unknown-attribute]: the attribute `branch` has no effect on this statement
    [unroll] if (x > 1) x = 1; //~ warning[unknown-attribute]: the attribute `unroll` has no effect on an `if`
    [flatten] for (uint i = 0; i < 2; i++) x++; //~ warning[unknown-attribute]: the attribute `flatten` has no effect on a loop
    [numthreads(8, 1, 1)] while (x > 100) x--; //~ warning[unknown-attribute]: the attribute `numthreads` has no effect on a loop
    [loop] switch (x) { default: break; } //~ warning[unknown-attribute]: the attribute `loop` has no effect on a `switch`
    [raypayload] { } //~ warning[unknown-attribute]: the attribute `raypayload` has no effect on this statement
    EXPECT(true);
}
//| FILE:2:2: warning: the attribute `WaveSize` has no effect on a variable [unknown-attribute]
//|   |
//| 2 | [WaveSize(8)] static uint size;
//|   |  ^^^^^^^^
//|   |
//|   = help: it belongs before a function
//|
//| FILE:3:2: warning: the attribute `numthreads` has no effect on a variable [unknown-attribute]
//|   |
//| 3 | [numthreads(8, 1, 1)] groupshared uint tile[8];
//|   |  ^^^^^^^^^^
//|   |
//|   = help: it belongs before a function
//|
//| FILE:4:2: warning: the attribute `fastest` has no effect here [unknown-attribute]
//|   |
//| 4 | [fastest] static uint speed;
//|   |  ^^^^^^^
//|
//| FILE:5:2: warning: the attribute `raypayloads` has no effect here [unknown-attribute]
//|   |
//| 5 | [raypayloads] struct Pair {
//|   |  ^^^^^^^^^^^
//|   |
//|   = help: a similar name is `raypayload`
//|   |
//| 5 - [raypayloads] struct Pair {
//| 5 + [raypayload] struct Pair {
//|
//| FILE:6:6: warning: the attribute `unroll` has no effect on a member of a struct [unknown-attribute]
//|   |
//| 6 |     [unroll] uint a;
//|   |      ^^^^^^
//|   |
//|   = help: it belongs before a loop
//|
//| FILE:8:2: warning: the attribute `branch` has no effect on this declaration [unknown-attribute]
//|   |
//| 8 | [branch] cbuffer Constants { uint c; }
//|   |  ^^^^^^
//|   |
//|   = help: it belongs before an `if` or a `switch`
//|
//| FILE:9:2: warning: the attribute `MaxRecords` has no effect on this declaration [unknown-attribute]
//|   |
//| 9 | [MaxRecords(1)] typedef uint Word;
//|   |  ^^^^^^^^^^
//|   |
//|   = help: it belongs before a parameter of a node
//|
//| FILE:12:6: warning: the attribute `unroll` has no effect on a variable [unknown-attribute]
//|    |
//| 12 |     [unroll] uint x = t;
//|    |      ^^^^^^
//|    |
//|    = help: it belongs before a loop
//|
//| FILE:13:6: warning: the attribute `branch` has no effect on this statement [unknown-attribute]
//|    |
//| 13 |     [branch] x++;
//|    |      ^^^^^^
//|    |
//|    = help: it belongs before an `if` or a `switch`
//|
//| FILE:14:6: warning: the attribute `unroll` has no effect on an `if` [unknown-attribute]
//|    |
//| 14 |     [unroll] if (x > 1) x = 1;
//|    |      ^^^^^^
//|    |
//|    = help: it belongs before a loop
//|
//| FILE:15:6: warning: the attribute `flatten` has no effect on a loop [unknown-attribute]
//|    |
//| 15 |     [flatten] for (uint i = 0; i < 2; i++) x++;
//|    |      ^^^^^^^
//|    |
//|    = help: it belongs before an `if` or a `switch`
//|
//| FILE:16:6: warning: the attribute `numthreads` has no effect on a loop [unknown-attribute]
//|    |
//| 16 |     [numthreads(8, 1, 1)] while (x > 100) x--;
//|    |      ^^^^^^^^^^
//|    |
//|    = help: it belongs before a function
//|
//| FILE:17:6: warning: the attribute `loop` has no effect on a `switch` [unknown-attribute]
//|    |
//| 17 |     [loop] switch (x) { default: break; }
//|    |      ^^^^
//|    |
//|    = help: it belongs before a loop
//|
//| FILE:18:6: warning: the attribute `raypayload` has no effect on this statement [unknown-attribute]
//|    |
//| 18 |     [raypayload] { }
//|    |      ^^^^^^^^^^
//|    |
//|    = help: it belongs before a struct

//--- attributes-where-they-belong
struct [raypayload] Payload { uint a : read(caller) : write(caller); };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    [unroll] for (uint i = 0; i < 2; i++) x++;
    [loop] while (x > 100) x--;
    [allow_uav_condition] do { x++; } while (x < 4);
    [branch] if (x > 1) x = 1;
    else [flatten] if (x > 0) x = 2;
    [flatten] if (uint y = x) x = y;
    [forcecase] switch (x) { default: break; }
    EXPECT(true);
}

//--- attributes-that-are-only-proposed
[NumWaves(4)] //~ warning[unknown-attribute]: the attribute `NumWaves` has no effect here
[[hlsl::math_mode(fast)]] //~ warning[unknown-attribute]: the attribute `math_mode` has no effect here
[numthreads(WIDTH, 1, 1)]
void main() { EXPECT(true); }
//| FILE:2:2: warning: the attribute `NumWaves` has no effect here [unknown-attribute]
//|   |
//| 2 | [NumWaves(4)]
//|   |  ^^^^^^^^
//|   |
//|   = note: `NumWaves` is only proposed for HLSL
//|   = help: `[numthreads(x, y, z)]` and `[WaveSize(n)]` set the number of waves
//|
//| FILE:3:9: warning: the attribute `math_mode` has no effect here [unknown-attribute]
//|   |
//| 3 | [[hlsl::math_mode(fast)]]
//|   |         ^^^^^^^^^
//|   |
//|   = note: `math_mode` is only proposed for HLSL
//|   = help: `precise` keeps the arithmetic of a variable as it is written
