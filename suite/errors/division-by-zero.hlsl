// An integer divided by zero.

//--- a-share-of-nothing
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint share = t / 0; //~ warning[division-by-zero]: divided by zero
    uint rest = t % 0; //~ warning[division-by-zero]: divided by zero
    float infinite = 1 / 0.0;
    EXPECT(isinf(infinite));
}
//| FILE:4:22: warning: an integer is divided by zero [division-by-zero]
//|   |
//| 4 |     uint share = t / 0;
//|   |                      ^
//|   |
//|   = note: the result has all bits set on most devices, and is undefined on others
//|
//| FILE:5:21: warning: an integer is divided by zero [division-by-zero]
//|   |
//| 5 |     uint rest = t % 0;
//|   |                     ^
//|   |
//|   = note: the result has all bits set on most devices, and is undefined on others
