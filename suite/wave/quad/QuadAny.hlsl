// QuadAny asks whether a condition holds in any lane of the quad.

//--- any-in-each-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadAny(t == 2), t < 4);
    EXPECT_EQ(QuadAny(t % 4 == 3), true);
    EXPECT_EQ(QuadAny(t >= WIDTH), false);
}
