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
//| FILE:5:13: warning: `1.5` becomes `1` here, where `int` is wanted [lossy-conversion]
//|   |
//| 5 |     int n = 1.5;
//|   |             ^^^
//|   |
//|   = help: write the integer, or the cast `(int)` if it is meant
//|
//| FILE:6:16: warning: `2.5` becomes `2` here, where `int` is wanted [lossy-conversion]
//|   |
//| 6 |     n += twice(2.5);
//|   |                ^^^
//|   |
//|   = help: write the integer, or the cast `(int)` if it is meant

//--- a-large-number-for-a-small-one
float half_of(float x) { return x / 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    double d = t;
    float f = d; //~ warning[lossy-conversion]: `double` becomes the smaller `float`
    f += half_of(d * 2); //~ warning[lossy-conversion]: `double` becomes the smaller `float`
    f += (float)d + float(d);
    int64_t n = t;
    uint2 v = uint64_t2(n, n); //~ warning[lossy-conversion]: `uint64_t2` becomes the smaller `uint2`
    int small = (int)n;
    const float exact = 0.5L;
    EXPECT_EQ(f + v.x + small + exact, t * 6 + 0.5);
}
//| FILE:6:15: warning: `double` becomes the smaller `float` here [lossy-conversion]
//|   |
//| 6 |     float f = d;
//|   |               ^
//|   |
//|   = help: the cast `(float)` says that it is meant
//|
//| FILE:7:18: warning: `double` becomes the smaller `float` here [lossy-conversion]
//|   |
//| 7 |     f += half_of(d * 2);
//|   |                  ^^^^^
//|   |
//|   = help: the cast `(float)` says that it is meant
//|
//| FILE:10:15: warning: `uint64_t2` becomes the smaller `uint2` here [lossy-conversion]
//|    |
//| 10 |     uint2 v = uint64_t2(n, n);
//|    |               ^^^^^^^^^^^^^^^
//|    |
//|    = help: the cast `(uint2)` says that it is meant
