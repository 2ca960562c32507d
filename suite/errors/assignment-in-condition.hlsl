// A condition compares, unless parentheses say that it assigns.

//--- one-equals-sign-too-few
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint mode = t;
    if (mode = 2) { //~ warning[assignment-in-condition]: this is a condition
        mode += 1;
    }
    EXPECT_EQ(mode, 3);
}
//| FILE:5:14: warning: `=` assigns, but this is a condition [assignment-in-condition]
//|   |
//| 5 |     if (mode = 2) {
//|   |              ^
//|   |
//|   = help: use `==` to compare
//|   |
//| 5 -     if (mode = 2) {
//| 5 +     if (mode == 2) {
//|   = help: if this is intended, add parentheses around the assignment

//--- an-assignment-that-is-meant
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint bits = 5, bit, sum = 0;
    while ((bit = firstbitlow(bits)) != ~0u) {
        sum += bit;
        bits &= bits - 1;
    }
    if ((bit = 7)) sum += bit;
    EXPECT_EQ(sum, 9);
}
