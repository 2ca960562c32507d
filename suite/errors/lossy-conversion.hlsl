// A constant loses its fraction.

//--- a-fraction-for-an-integer
int twice(int n) { return n * 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int n = 1.5; //~ warning[lossy-conversion]: `1.5` becomes `1`
    n += twice(2.5); //~ warning[lossy-conversion]: `2.5` becomes `2`
    n += int(3.5) + (int)4.5;
    int whole = 8.0;
    EXPECT_EQ(n + whole, 20);
}
//| FILE:5:13: warning: `1.5` becomes `1` here, where `int` is expected [lossy-conversion]
//|   |
//| 5 |     int n = 1.5;
//|   |             ^^^
//|   |
//|   = help: write the integer, or cast with `(int)` if this is intended
//|
//| FILE:6:16: warning: `2.5` becomes `2` here, where `int` is expected [lossy-conversion]
//|   |
//| 6 |     n += twice(2.5);
//|   |                ^^^
//|   |
//|   = help: write the integer, or cast with `(int)` if this is intended

//--- a-large-number-for-a-small-one
float half_of(float x) { return x / 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    double d = t;
    float f = d; //~ warning[lossy-conversion]: `double` narrows to `float` here
    f += half_of(d * 2); //~ warning[lossy-conversion]: `double` narrows to `float` here
    f += (float)d + float(d);
    int64_t n = t;
    uint2 v = uint64_t2(n, n); //~ warning[lossy-conversion]: `uint64_t2` narrows to `uint2` here
    int small = (int)n;
    const float exact = 0.5L;
    EXPECT_EQ(f + v.x + small + exact, t * 6 + 0.5);
}
//| FILE:6:15: warning: `double` narrows to `float` here [lossy-conversion]
//|   |
//| 6 |     float f = d;
//|   |               ^
//|   |
//|   = help: cast with `(float)` if this is intended
//|
//| FILE:7:18: warning: `double` narrows to `float` here [lossy-conversion]
//|   |
//| 7 |     f += half_of(d * 2);
//|   |                  ^^^^^
//|   |
//|   = help: cast with `(float)` if this is intended
//|
//| FILE:10:15: warning: `uint64_t2` narrows to `uint2` here [lossy-conversion]
//|    |
//| 10 |     uint2 v = uint64_t2(n, n);
//|    |               ^^^^^^^^^^^^^^^
//|    |
//|    = help: cast with `(uint2)` if this is intended
