// The bounding box and the centre of the points of each wave.
//
// Teaches: reductions work on vectors, component by component, and every lane receives the result. The output
// depends on the width, since each wave has its own box: `run` says so.
//
//   wavelane run examples/bounds.hlsl --wave-size 4,8 --bind 'Points=f32[24]:rand(1)' --bind 'Boxes=f32[72]'

struct Box {
    float3 low;
    float3 high;
    float3 centre;
};

StructuredBuffer<float3> Points;
RWStructuredBuffer<Box> Boxes;

[numthreads(8, 1, 1)]
void main(uint thread : SV_DispatchThreadID) {
    float3 p = Points[thread];
    Box box;
    box.low = WaveActiveMin(p);
    box.high = WaveActiveMax(p);
    box.centre = WaveActiveSum(p) / WaveActiveCountBits(true);
    Boxes[thread] = box;
}
