// An assignment of a variable to itself has no effect.

//--- a-parameter-that-hides-a-member
struct Ray {
    float length;
    void Set(float length) { length = length; } //~ warning[self-assignment]: `length`
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Ray ray;
    ray.length = 1;
    ray.Set(t + 2);
    EXPECT_EQ(ray.length, 1);
}
//| FILE:4:30: warning: `length` is assigned to itself [self-assignment]
//|   |
//| 4 |     void Set(float length) { length = length; }
//|   |                              ^^^^^^^^^^^^^^^
//|   |
//|   = help: use `this.` to name a member that has the same name as a parameter

//--- an-element-of-itself
groupshared uint tile[WIDTH];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    tile[t] = t;
    tile[t] = tile[t]; //~ warning[self-assignment]: `tile[t]`
    EXPECT_EQ(tile[t], t);
}
//| FILE:6:5: warning: `tile[t]` is assigned to itself [self-assignment]
//|   |
//| 6 |     tile[t] = tile[t];
//|   |     ^^^^^^^^^^^^^^^^^
