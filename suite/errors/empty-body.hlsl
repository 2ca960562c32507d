// A `;` after the head of an `if` or a loop is its whole body.

//--- an-if-that-decides-nothing
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    if (t > WIDTH); //~ warning[empty-body]: this `;` is the entire body of the `if`
    { n = 1; }
    EXPECT_EQ(n, 1);
}
//| FILE:5:19: warning: this `;` is the entire body of the `if` [empty-body]
//|   |
//| 5 |     if (t > WIDTH);
//|   |                   ^
//|   |
//|   = help: remove the `;`
//|   |
//| 5 -     if (t > WIDTH);
//| 5 +     if (t > WIDTH)

//--- a-loop-that-repeats-nothing
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = 0;
    for (uint k = 0; k < 4; k++); //~ warning[empty-body]: this `;` is the entire body of the `for`
    {
        n++;
    }
    EXPECT_EQ(n, 1);
}
//| FILE:5:33: warning: this `;` is the entire body of the `for` [empty-body]
//|   |
//| 5 |     for (uint k = 0; k < 4; k++);
//|   |                                 ^
//| 6 |     {
//|   |     - this block runs once, after the loop
//|   |
//|   = help: remove the `;`
//|   |
//| 5 -     for (uint k = 0; k < 4; k++);
//| 5 +     for (uint k = 0; k < 4; k++)

//--- empty-bodies-that-are-meant
#define LOG(x)
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint n = t;
    if (n > 2) LOG(n);
    if (n > 3) {}
    while (++n < 1000);
    EXPECT_EQ(n, 1000);
}
