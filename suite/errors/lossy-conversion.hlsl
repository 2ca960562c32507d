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
