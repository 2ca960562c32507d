// A different second definition takes effect, with a warning; an identical one is silent.

//--- a-macro-with-two-meanings
#define SAME 1
#define SAME 1
#define SIZE 64
#define SIZE 128 //~ warning[macro-redefined]: SIZE
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(SIZE, 128);
}
//| FILE:5:9: warning: macro `SIZE` is redefined differently [macro-redefined]
//|   |
//| 4 | #define SIZE 64
//|   |         ---- the first definition
//| 5 | #define SIZE 128
//|   |         ^^^^
//|   |
//|   = help: if this is intended, put `#undef SIZE` before it
