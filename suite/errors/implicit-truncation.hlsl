// Components that an implicit conversion drops.

//--- a-vector-becomes-a-scalar
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint3 v = uint3(t, 2, 3);
    uint x = v; //~ warning[implicit-truncation]: `uint3` loses components
    EXPECT_EQ(x, t);
}
//| FILE:5:14: warning: `uint3` loses components when it becomes `uint` [implicit-truncation]
//|   |
//| 5 |     uint x = v;
//|   |              ^
//|   |
//|   = help: use a swizzle, or cast with `(uint)`, if this is intended
