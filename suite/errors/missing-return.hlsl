// A path through a function without a `return`.

//--- an-if-without-else
uint f(uint x) { if (x < 1000) return 1; } //~ warning[missing-return]: `f` can reach its end without returning a `uint`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(f(t), 1u);
}
//| FILE:2:6: warning: `f` can reach its end without returning a `uint` [missing-return]
//|   |
//| 2 | uint f(uint x) { if (x < 1000) return 1; }
//|   |      ^
//|   |
//|   = help: return a value on every path
