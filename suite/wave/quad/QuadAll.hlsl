// QuadAll asks whether a condition holds in all lanes of the quad.

//--- all-in-each-quad
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(QuadAll(t >= 4), t >= 4);
    EXPECT_EQ(QuadAll(t % 4 != 3), false);
    EXPECT_EQ(QuadAll(t < WIDTH), true);
}
