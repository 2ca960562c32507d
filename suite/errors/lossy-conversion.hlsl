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

//--- a-division-of-integers-for-a-float
#define EIGHTH 1 / 8
float half_of(float x) { return x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float third = 1 / 3; //~ warning[lossy-conversion]: this division of integers is 0, without its fraction
    third += half_of(7 / 2); //~ warning[lossy-conversion]: this division of integers is 3, without its fraction
    third = third * (1 / 2); //~ warning[lossy-conversion]: this division of integers is 0, without its fraction
    third += EIGHTH; //~ warning[lossy-conversion]: this division of integers is 0, without its fraction
    // Whole results, integers, and casts are meant.
    third = 4 / 2;
    uint groups = 100 / 32;
    third += 1.0 / 4 + (float)(1 / 3);
    EXPECT_EQ(third + groups, 5.25);
}
//| FILE:9:14: warning: this division of integers is 0, without its fraction [lossy-conversion]
//|   |
//| 9 |     third += EIGHTH;
//|   |              ^^^^^^
//|  ::: FILE:2:16: in the expansion of macro `EIGHTH`
//|   |
//| 2 | #define EIGHTH 1 / 8
//|   |                -----
//|   |
//|   = help: write one of the numbers with a point, such as `1.0`
//|
//| FILE:6:19: warning: this division of integers is 0, without its fraction [lossy-conversion]
//|   |
//| 6 |     float third = 1 / 3;
//|   |                   ^^^^^
//|   |
//|   = help: write one of the numbers with a point, such as `1.0`
//|
//| FILE:7:22: warning: this division of integers is 3, without its fraction [lossy-conversion]
//|   |
//| 7 |     third += half_of(7 / 2);
//|   |                      ^^^^^
//|   |
//|   = help: write one of the numbers with a point, such as `1.0`
//|
//| FILE:8:22: warning: this division of integers is 0, without its fraction [lossy-conversion]
//|   |
//| 8 |     third = third * (1 / 2);
//|   |                      ^^^^^
//|   |
//|   = help: write one of the numbers with a point, such as `1.0`

//--- a-literal-with-more-than-32-bits
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int a = 1 << 40; //~ warning[lossy-conversion]: `1099511627776` does not fit into `int` and becomes `0`
    uint b = 0x100000001; //~ warning[lossy-conversion]: `4294967297` does not fit into `uint` and becomes `1`
    int64_t c = 1 << 40;
    uint d = 4294967295;
    int e = -2147483648;
    EXPECT_EQ(a + b + d + e, 0x80000000);
    EXPECT(c == 1099511627776);
}
//| FILE:4:13: warning: `1099511627776` does not fit into `int` and becomes `0` [lossy-conversion]
//|   |
//| 4 |     int a = 1 << 40;
//|   |             ^^^^^^^
//|   |
//|   = help: cast with `(int)` if this is intended
//|
//| FILE:5:14: warning: `4294967297` does not fit into `uint` and becomes `1` [lossy-conversion]
//|   |
//| 5 |     uint b = 0x100000001;
//|   |              ^^^^^^^^^^^
//|   |
//|   = help: cast with `(uint)` if this is intended

//--- a-literal-with-more-than-63-bits
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int64_t a = 9223372036854775808; //~ warning[lossy-conversion]: does not fit into `int64_t` and becomes `-9223372036854775808`
    float b = 9223372036854775808; //~ warning[lossy-conversion]: does not fit into `int64_t`
    int c = 18446744073709551615; //~ warning[lossy-conversion]: `18446744073709551615` does not fit into `int` and becomes `-1`
    int64_t least = -9223372036854775808;
    uint64_t d = 9223372036854775808;
    int64_t bits = 0x8000000000000000;
    EXPECT(a == least && bits == least && d == 1ull << 63 && c == -1 && b < 0);
}
//| FILE:4:17: warning: `9223372036854775808` does not fit into `int64_t` and becomes `-9223372036854775808` [lossy-conversion]
//|   |
//| 4 |     int64_t a = 9223372036854775808;
//|   |                 ^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: cast with `(int64_t)` if this is intended
//|
//| FILE:5:15: warning: `9223372036854775808` does not fit into `int64_t` and becomes `-9223372036854775808` [lossy-conversion]
//|   |
//| 5 |     float b = 9223372036854775808;
//|   |               ^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: write it with a point: `9223372036854775808.0`
//|
//| FILE:6:13: warning: `18446744073709551615` does not fit into `int` and becomes `-1` [lossy-conversion]
//|   |
//| 6 |     int c = 18446744073709551615;
//|   |             ^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: cast with `(int)` if this is intended

//--- a-number-beyond-the-range-of-its-type
float same(float x) { return x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float a = 1.5e99999; //~ warning[lossy-conversion]: beyond the range of `double` and becomes infinity
    float b = same(1e39); //~ warning[lossy-conversion]: beyond the range of `float` and becomes infinity
    float c = t + 1e39f; //~ warning[lossy-conversion]: beyond the range of `float` and becomes infinity
    // Infinities that are meant, and numbers that fit.
    float infinite = 1.#INF; infinite = (float)1e39;
    float quotient = 1.0 / 0.0;
    double fits = 1e39L;
    EXPECT(isinf(a) && isinf(b) && isinf(c) && isinf(infinite) && isinf(quotient) && 3.4028235e38 < fits);
}
//| FILE:5:15: warning: this number is beyond the range of `double` and becomes infinity [lossy-conversion]
//|   |
//| 5 |     float a = 1.5e99999;
//|   |               ^^^^^^^^^
//|   |
//|   = help: the largest `double` is 1.7976931348623157e308; infinity is written `1.#INF`
//|
//| FILE:6:20: warning: this number is beyond the range of `float` and becomes infinity [lossy-conversion]
//|   |
//| 6 |     float b = same(1e39);
//|   |                    ^^^^
//|   |
//|   = help: the largest `float` is 3.4028235e38; infinity is written `1.#INF`
//|
//| FILE:7:19: warning: this number is beyond the range of `float` and becomes infinity [lossy-conversion]
//|   |
//| 7 |     float c = t + 1e39f;
//|   |                   ^^^^^
//|   |
//|   = help: the largest `float` is 3.4028235e38; infinity is written `1.#INF`

//--- a-float-beyond-the-range-of-an-integer
[numthreads(WIDTH, 1, 1)]
void main() {
    int a = 1e20; //~ warning[lossy-conversion]: `1e20` does not fit into `int` and becomes `2147483647`
    uint b = -1.0; //~ warning[lossy-conversion]: `-1.0` does not fit into `uint` and becomes `0`
    uint c = 4294967296.5f; //~ warning[lossy-conversion]: does not fit into `uint` and becomes `4294967295`
    int64_t d = 1e19; //~ warning[lossy-conversion]: `1e19` does not fit into `int64_t` and becomes `9223372036854775807`
    int e = 2147483647.0, f = -2147483648.0, g = (int)1e20;
    uint64_t h = 1e19;
    EXPECT(a == 2147483647 && b == 0 && c == 4294967295u && d == 9223372036854775807ll && e == a && f == -e - 1 && g == a);
    EXPECT(h == 10000000000000000000ull);
}
//| FILE:4:13: warning: `1e20` does not fit into `int` and becomes `2147483647` [lossy-conversion]
//|   |
//| 4 |     int a = 1e20;
//|   |             ^^^^
//|   |
//|   = help: write a number that fits, or cast with `(int)` if this is intended
//|
//| FILE:5:14: warning: `-1.0` does not fit into `uint` and becomes `0` [lossy-conversion]
//|   |
//| 5 |     uint b = -1.0;
//|   |              ^^^^
//|   |
//|   = help: write a number that fits, or cast with `(uint)` if this is intended
//|
//| FILE:6:14: warning: `4294967296.0` does not fit into `uint` and becomes `4294967295` [lossy-conversion]
//|   |
//| 6 |     uint c = 4294967296.5f;
//|   |              ^^^^^^^^^^^^^
//|   |
//|   = help: write a number that fits, or cast with `(uint)` if this is intended
//|
//| FILE:7:17: warning: `1e19` does not fit into `int64_t` and becomes `9223372036854775807` [lossy-conversion]
//|   |
//| 7 |     int64_t d = 1e19;
//|   |                 ^^^^
//|   |
//|   = help: write a number that fits, or cast with `(int64_t)` if this is intended
