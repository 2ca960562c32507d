// An `else` belongs to the nearest `if`, regardless of the indentation.

//--- an-else-of-the-inner-if
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    if (t < 2)
        if (t < 1) n = 1;
    else //~ warning[dangling-else]: the inner `if`
        n = 2;
    EXPECT_EQ(n, t == 0 ? 1 : t == 1 ? 2 : 0);
}
//| FILE:7:5: warning: this `else` belongs to the inner `if` [dangling-else]
//|   |
//| 5 |     if (t < 2)
//|   |     -- not to this one
//| 6 |         if (t < 1) n = 1;
//|   |         -- to this one
//| 7 |     else
//|   |     ^^^^
//|   |
//|   = help: add braces around the inner `if` to make this clear

//--- an-else-for-each
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    if (t < 2)
        if (t < 1) n = 1;
        else n = 2;
    else n = 3;
    EXPECT_EQ(n, min(t + 1, 3));
}
