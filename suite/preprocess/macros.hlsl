// Macros, by the rules of C.

//--- macros-take-arguments-and-are-scanned-again
#define SQUARE(x) ((x) * (x))
#define TWICE(f, x) f(f(x))
#define COUNT TWICE(SQUARE, 3)
#define NAME SQUARE
#define EMPTY
#define SPREAD(a, \
               b) (a) - \
    (b)
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(SQUARE(lane + 1), (lane + 1) * (lane + 1));
    EXPECT_EQ(COUNT, 81);
    EXPECT_EQ(NAME (4), 16);
    EXPECT_EQ(SPREAD((7, 9), 2) EMPTY, 7);
    // A function-like macro without its parentheses is an ordinary name.
    uint SQUARE = 5;
    EXPECT_EQ(SQUARE, 5);
}

//--- a-macro-does-not-expand-inside-itself
uint f(uint x) { return x * 2; }
uint ping(uint x) { return x; }
static const uint seven = 7;
#define seven seven + 1
#define f(x) f((x) + 1)
#define ping(x) pong(x) + 10
#define pong(x) ping(x) + 100
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(f(f(lane)), ((lane + 1) * 2 + 1) * 2);
    EXPECT_EQ(ping(1), 111);
    EXPECT_EQ(seven, 8);
}

//--- tokens-are-pasted
#define JOIN(a, b) a ## b
#define JOINED(a, b) JOIN(a, b)
#define N 3
#define OPERATOR(a, b) a ## b
#define DECLARE(type, n) type ## n value ## n = (type ## n)n
[numthreads(WIDTH, 1, 1)]
void main() {
    uint xN = 1, x3 = 2, x = 4;
    EXPECT_EQ(JOIN(x, N), 1);
    EXPECT_EQ(JOINED(x, N), 2);
    EXPECT_EQ(JOIN(x, ), 4);
    EXPECT_EQ(JOIN(, x), 4);
    EXPECT_EQ(JOIN(1, 2u), 12);
    EXPECT_EQ(1 OPERATOR(<, <) 4, 16);
    x OPERATOR(+, =) 1;
    EXPECT_EQ(x, 5);
    DECLARE(uint, 2);
    EXPECT_EQ(value2.x + value2.y, 4);
}

//--- macros-take-any-number-of-arguments
#define SUM(...) add(__VA_ARGS__)
#define FIRST(a, ...) (a)
#define AND_MORE(a, ...) add(a, ##__VA_ARGS__)
#define NAMED(a, rest...) add(a, rest)
#define OPTIONAL(a, ...) add(a __VA_OPT__(,) __VA_ARGS__)
#define HAS_MORE(a, ...) (0 __VA_OPT__(+ 1))
#define SWAPPED(a, ...) __VA_OPT__(add(__VA_ARGS__, (a)) + 100 *) 1
#define PASTED(a, ...) a ## __VA_OPT__(1)
uint add(uint a) { return a; }
uint add(uint a, uint b) { return a * 10 + b; }
uint add(uint a, uint b, uint c) { return a * 100 + b * 10 + c; }
[numthreads(WIDTH, 1, 1)]
void main() {
    uint v = 7, v1 = 8;
    EXPECT_EQ(SUM(1), 1);
    EXPECT_EQ(SUM(1, 2, 3), 123);
    EXPECT_EQ(FIRST(4), 4);
    EXPECT_EQ(FIRST(4, 5, 6), 4);
    EXPECT_EQ(AND_MORE(1), 1);
    EXPECT_EQ(AND_MORE(1, 2), 12);
    EXPECT_EQ(NAMED(3, 2, 1), 321);
    EXPECT_EQ(OPTIONAL(1), 1);
    EXPECT_EQ(OPTIONAL(1, 2, 3), 123);
    EXPECT_EQ(HAS_MORE(1), 0);
    EXPECT_EQ(HAS_MORE(1, ), 0);
    EXPECT_EQ(HAS_MORE(1, 2), 1);
    EXPECT_EQ(SWAPPED(1), 1);
    EXPECT_EQ(SWAPPED(1, 2), 121);
    EXPECT_EQ(PASTED(v), 7);
    EXPECT_EQ(PASTED(v, x), 8);
}

//--- continuations-join-lines-anywhere
#define LONG 1 + \
    2 + \
    4
// a comment that \
   goes on: EXPECT(false);
/\
* and one that starts so *\
/
[numthreads(WIDTH, 1, 1)]
void main() {
    uint lo\
ng = 1\
2;
    EXPECT_EQ(LONG, 7);
    EXPECT_EQ(long, 12);
    long <\
<= 1;
    EXPECT_EQ(long, 24);
}

//--- built-in-macros-have-their-values
#line 100 "made.hlsl"
static const uint line = __LINE__;
#line 36
static const uint first = __COUNTER__, second = __COUNTER__;
#define STAMP __LINE__
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(line, 100);
    EXPECT_EQ(second, first + 1);
    EXPECT_EQ(STAMP, __LINE__);
    EXPECT_EQ(__hlsl_dx_compiler, 1);
    EXPECT_EQ(__HLSL_VERSION, 2021);
    EXPECT_EQ(__SHADER_TARGET_MAJOR, 6);
    EXPECT_EQ(__SHADER_TARGET_STAGE, __SHADER_STAGE_COMPUTE);
    EXPECT(__SHADER_STAGE_PIXEL != __SHADER_STAGE_COMPUTE);
    EXPECT(__DXC_VERSION_MAJOR * 100 + __DXC_VERSION_MINOR >= 108);
}

//--- macros-become-attributes-and-functions
#define GROUP [numthreads(WIDTH, 1, 1)]
#define FOLD(name, type, op) type name(type a, type b) { return a op b; }
#define VECTORS(make) make(2) make(3) make(4)
#define LENGTH(n) uint length_of(uint##n v) { return n; }
FOLD(plus, uint, +)
FOLD(times, float, *)
VECTORS(LENGTH)
GROUP void main() {
    EXPECT_EQ(plus(2, 3), 5);
    EXPECT_EQ(times(2, 3), 6.0);
    EXPECT_EQ(length_of(uint2(0, 0)) * 100 + length_of((uint3)0) * 10 + length_of((uint4)0), 234);
}

//--- mistakes-in-macros-are-reported-where-they-are-used
#define BAD(x) (x).missing
#define OUTER BAD(v)
[numthreads(4, 1, 1)]
void main() {
    uint v = 1;
    v = OUTER; //~ error[unknown-name]: missing
}

//--- a-variable-part-needs-a-variable-macro-and-its-end
#define NOT_OPEN(...) __VA_OPT__ x //~ error[bad-macro]: expected `(` after `__VA_OPT__`
#define NOT_CLOSED(...) __VA_OPT__(x //~ error[bad-macro]: no closing `)`
#define NESTED(...) __VA_OPT__(__VA_OPT__(x)) //~ error[bad-macro]: cannot be nested
#define NO_REST(a) __VA_ARGS__ //~ error[bad-macro]: needs `...`
[numthreads(4, 1, 1)]
void main() {}
