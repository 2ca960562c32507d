// What the host sets is not initialised by the program.

//--- a-loose-variable-with-a-value
uint threshold = 5; //~ warning[initializer-ignored]: `threshold`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(true);
}
