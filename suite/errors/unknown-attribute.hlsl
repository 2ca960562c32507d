// Unknown attributes are ignored, with a warning.

//--- an-attribute-nobody-knows
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
