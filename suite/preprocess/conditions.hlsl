// Conditional directives: `#if` and the related ones.

//--- conditions-compute-with-64-bits
#define A 2
#define F(x) x * 2
#if UNDEFINED || UNDEFINED_TOO == 1
#error an undefined name is 0
#endif
#if 1 + 2 * 3 != 7 || (1 << 4 | 3) != 19 || (0xff & ~0xf0) != 15 || 7 % 4 != 3 || -7 / 2 != -3
#error arithmetic
#endif
#if -1 > 0 || !(-1 > 0u) || 0x7fffffffffffffff + 1 > 0 || (1 ? 2 : 3) != 2 || (5 ^ 1) != 4
#error signs
#endif
#if F(A) != 4 || 'a' != 97 || 0b11 != 3 || 017 != 15 || !true || false || +1 != - -1
#error values
#endif
#if 0 && 1 / 0 || 1 && 0 ? 1 / 0 : 0
#error what does not matter is not computed
#endif
#if (1, 2) != 2 || !(1 <= 1 && 2 >= 1 && 1 != 2)
#error comparisons
#endif
[numthreads(WIDTH, 1, 1)]
void main() {
#if WIDTH >= 32
    EXPECT(WaveGetLaneCount() >= 32);
#else
    EXPECT(WaveGetLaneCount() < 32);
#endif
}

//--- names-are-defined-or-not
#define A
#define B A
#define ASKS defined(A) && !defined C
#define YES(x) x
uint chosen() {
#if defined A && defined(B) && !defined(C) && YES(defined(A))
#if ASKS
#ifdef C
    return 1;
#elifdef A
    return 2;
#else
    return 3;
#endif
#endif
#endif
    return 4;
}
uint undefined() {
#undef A
#undef NEVER_DEFINED
#ifndef A
    return 1;
#elif 1 / 0
    return 2;
#else
    return 3;
#endif
}
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(chosen(), 2);
    EXPECT_EQ(undefined(), 1);
}

//--- text-that-is-left-out-can-be-anything
#if 0
    don't "close this
#error not reached
#include "nothing"
#nonsense @ $
# if 1
# else
# endif
#elif 1
static const uint value = 1;
#else
this is not read
#endif
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(value, 1);
}

//--- files-can-be-asked-for
#ifndef __has_include
#error it can be asked
#endif
#define WHICH "included.hlsli"
#if __has_include("included.hlsli") && __has_include(<preprocess\included.hlsli>) && __has_include(WHICH)
static const uint found = 1;
#endif
#if __has_include("nothing.hlsli")
#include "nothing.hlsli"
#endif
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(found, 1);
}

//--- wrong-conditions-are-reported
#if 1 + //~ error[bad-condition]: expected a value
#endif
#if defined( //~ error[bad-condition]: defined(NAME)
#endif
#if __has_include //~ error[bad-condition]: __has_include
#endif
#if 1 / 0 //~ error[bad-condition]: division by zero
#endif
#if UNKNOWN(1) //~ error[bad-condition]: is not defined
#endif
#if 1.5 //~ error[bad-condition]: not an integer
#endif
[numthreads(4, 1, 1)]
void main() {}
