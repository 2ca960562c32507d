// Variables that may be read before they are written.

//--- a-sum-that-starts-nowhere
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum;
    for (uint k = 0; k < 4; k++) sum += k; //~ warning[uninitialized]: `sum`
    EXPECT(true);
}
//| FILE:5:34: warning: `sum` is read before it is initialised [uninitialized]
//|   |
//| 4 |     uint sum;
//|   |          --- declared here without a value
//| 5 |     for (uint k = 0; k < 4; k++) sum += k;
//|   |                                  ^^^

//--- written-by-some-way
void set(out uint x) { x = 1; }
struct Pair { uint a, b; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a, b, c, d;
    if (t > 1) a = 1; else a = 2;
    set(b);
    for (uint k = 0; k < 2; k++) {
        if (k > 0) EXPECT_EQ(c, 5);
        c = 5;
    }
    switch (t) {
        case 0: d = 0; break;
        default: d = 1; break;
    }
    Pair pair;
    pair.a = 1;
    uint list[2];
    list[t & 1] = 3;
    uint unused;
    (void)unused;
    EXPECT_EQ(a + b + d + pair.a + list[t & 1], 5 + (t > 1 ? 1 : 2) + (t > 0 ? 1 : 0));
}

//--- a-constant-without-a-value
static const uint nothing; //~ warning[uninitialized]: `nothing` is `static const` but has no value, and stays 0
static const uint table[2]; //~ warning[uninitialized]: `table` is `static const` but has no value, and stays 0
static const uint one = 1;
static uint later;
struct S { static const uint member; };
const uint S::member = 3;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    static const uint local; //~ warning[uninitialized]: `local` is `static const` but has no value, and stays 0
    EXPECT_EQ(nothing + table[t & 1] + later + local + one + S::member, 4u);
}
//| FILE:2:19: warning: `nothing` is `static const` but has no value, and stays 0 [uninitialized]
//|   |
//| 2 | static const uint nothing;
//|   |                   ^^^^^^^
//|   |
//|   = help: write `nothing = …`, or remove `static` if the host sets it
//|
//| FILE:3:19: warning: `table` is `static const` but has no value, and stays 0 [uninitialized]
//|   |
//| 3 | static const uint table[2];
//|   |                   ^^^^^
//|   |
//|   = help: write `table = …`, or remove `static` if the host sets it
//|
//| FILE:10:23: warning: `local` is `static const` but has no value, and stays 0 [uninitialized]
//|    |
//| 10 |     static const uint local;
//|    |                       ^^^^^
//|    |
//|    = help: write `local = …`, or remove `static` if the host sets it
