// Global variables: static, groupshared, and those that the host sets.

//--- globals-const-without-static-is-set-by-the-host
//# finds buffer-out-of-bounds
//# in $Globals i32: 100 3 0 0 0 0 0 0
const int n = 4; //~ warning[initializer-ignored]: the initialiser of `n` has no effect
const float weights[] = { 1, 2 }; //~ warning[initializer-ignored]: the initialiser of `weights` has no effect
static const int m = n + 1;
groupshared uint shared_n[n];
[numthreads(n, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int a[n];
    a[3] = n;
    EXPECT_EQ(a[3], 100);
    EXPECT_EQ(m, 101);
    EXPECT_EQ(weights[1], 0.0);
    uint label = 0;
    switch (t % 8 + 4) { case n: label = 1; break; default: label = 2; }
    EXPECT_EQ(label, t % 8 == 0 ? 1 : 2);
    static_assert(n == 4, "what the source says");
}

//--- globals-statics-are-each-lanes-own
static uint count = 2;
static uint zeros[3];
static const uint2 pair = uint2(3, 4);
uint next() { return count++; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    count += t;
    EXPECT_EQ(next() + next(), 2 * t + 5);
    EXPECT_EQ(zeros[t % 3], 0);
    EXPECT_EQ(pair.x * pair.y, 12);
}

//--- globals-static-locals-are-initialised-once
uint tick() { static uint n = 10; n += 1; return n; }
uint calls() { static uint table[4]; table[tick() & 3]++; return table[0] + table[1] + table[2] + table[3]; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint last = 0;
    for (uint i = 0; i < t % 4; i++) last = tick();
    EXPECT_EQ(last, t % 4 ? 10 + t % 4 : 0);
    EXPECT_EQ(tick(), 11 + t % 4);
    EXPECT_EQ(calls(), 1);
    EXPECT_EQ(calls(), 2);
}

//--- globals-loose-variables-cannot-be-written
//# args -Wno-initializer-ignored
int n = 3;
const int m = 4;
extern uniform float f;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    n = 1; //~ error[not-assignable]: a global variable is a constant set by the host, unless it is `static` or `groupshared`
    m += 1; //~ error[not-assignable]: a global variable is a constant set by the host, unless it is `static` or `groupshared`
    f = 0; //~ error[not-assignable]: a global variable is a constant set by the host, unless it is `static` or `groupshared`
}

//--- globals-static-initialisers-see-earlier-ones
//# in $Globals u32: 7 0 0 0
uint from_host;
static uint a = from_host * 2;
static uint b = a + 1;
static uint c[2] = { b, a };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(a * 100 + b, 1415);
    EXPECT_EQ(c[t & 1], 15 - (t & 1));
}
