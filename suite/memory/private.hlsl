// Private variables and arrays.

//--- arrays-out-of-bounds
//# finds out-of-bounds
//# in I u32: 3 4 0xffffffff 1
StructuredBuffer<uint> I;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[4] = { 5, 6, 7, 8 };
    uint after = 99;
    a[I[1]] = 1;
    a[I[2]] = 1;
    EXPECT_EQ(a[I[0]], 8);
    EXPECT_EQ(a[I[1]], 0);
    EXPECT_EQ(a[I[2]], 0);
    EXPECT_EQ(after, 99);
    // An index out of range in its own dimension does not reach the next row.
    uint b[2][2] = { { 1, 2 }, { 3, 4 } };
    EXPECT_EQ(b[0][I[0]], 0);
    b[0][I[0]] = 7;
    EXPECT_EQ(b[I[3]][I[3]], 4);
}

//--- uninitialised-memory-is-zero
//# args -Wno-uninitialized
//# finds uninitialized-value
groupshared uint cells[4];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint never;
    uint many[3];
    EXPECT_EQ(never, 0);
    EXPECT_EQ(many[t % 3], 0);
    EXPECT_EQ(cells[t % 4], 0);
}

//--- vectors-are-indexed-at-run-time
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint4 v = uint4(1, 2, 3, 4);
    v[t % 4] = 10 + t;
    EXPECT_EQ(v[t % 4], 10 + t);
    EXPECT_EQ(v[(t + 1) % 4], (t + 1) % 4 + 1);
    float2x3 m = float2x3(1, 2, 3, 4, 5, 6);
    m[t % 2][t % 3] = 9;
    EXPECT_EQ(m[t % 2][t % 3], 9.0);
    EXPECT_EQ(m[(t + 1) % 2][0], (t + 1) % 2 == 0 ? 1.0 : 4.0);
}

//--- each-lane-has-its-own-array
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[8];
    for (uint i = 0; i < 8; ++i) a[(i + t) % 8] = i * t;
    uint sum = 0;
    for (uint k = 0; k < 8; ++k) sum += a[k] * (k + 1);
    uint expected = 0;
    for (uint j = 0; j < 8; ++j) expected += j * t * ((j + t) % 8 + 1);
    EXPECT_EQ(sum, expected);
}
