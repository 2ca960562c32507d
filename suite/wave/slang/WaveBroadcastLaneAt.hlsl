// WaveBroadcastLaneAt gives every lane the value of one whose index is a constant.

//--- broadcast-from-a-constant-lane
//# args --dialect slang
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(WaveBroadcastLaneAt(t + 1, 3), 4);
    if (t & 1) EXPECT_EQ(WaveBroadcastLaneAt(t, 1), 1);
}
