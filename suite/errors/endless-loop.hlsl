// A loop that no lane can leave is reported; one with any exit is not.

//--- a-loop-without-a-way-out
//# in Never u32: 0
StructuredBuffer<uint> Never;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (Never[0]) {
        while (true) { //~ warning[endless-loop]: no lane ever leaves
            if (t == 0) continue;
        }
    }
    for (;;) {
        if (WaveIsFirstLane()) break;
    }
    EXPECT(true);
}
//| FILE:7:9: warning: no lane ever leaves this loop [endless-loop]
//|   |
//| 7 |         while (true) {
//|   |         ^^^^^^^^^^^^^^
//|   |
//|   = help: add a `break`, a `return` or a condition that becomes false

//--- a-return-is-a-way-out
uint leave(uint t) {
    do {
        switch (t) {
            case 0: return 1;
            default: t--;
        }
    } while (true);
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(leave(t), 1);
}

//--- a-choice-between-calls-that-never-return
//# in Never u32: 0
StructuredBuffer<uint> Never;
uint forever(uint t) {
    while (true) {} //~ warning[endless-loop]: no lane ever leaves
    return t;
}
RWStructuredBuffer<uint> Count;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (Never[0]) {
        uint picked = (t ? forever(t) : forever(1)) == 31 ? 2 : t;
        InterlockedAdd(Count[0], t ? forever(t) : forever(2));
    }
    EXPECT(true);
}
//| FILE:5:5: warning: no lane ever leaves this loop [endless-loop]
//|   |
//| 5 |     while (true) {}
//|   |     ^^^^^^^^^^^^^^^
//|   |
//|   = help: add a `break`, a `return` or a condition that becomes false
