// `ResourceDescriptorHeap` and `SamplerDescriptorHeap`: one heap, seen as many types.

//--- elements-of-every-type
//# finds descriptor-out-of-range non-uniform-resource-index
//# args -T cs_6_6
//# in ResourceDescriptorHeap[0] u32: 10, 11, 12, 13
//# in ResourceDescriptorHeap[1] u32: 20, 21, 22, 23
//# in ResourceDescriptorHeap[2] u32: 30, 31, 32, 33
struct Pair { uint a, b; };
struct Values { uint4 all; };
struct Holder { StructuredBuffer<Pair> pairs; };
static Buffer<uint> global = ResourceDescriptorHeap[1];
ByteAddressBuffer made(uint i) { return ResourceDescriptorHeap[i]; }
uint read(ByteAddressBuffer from) { return from.Load(4); }
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    StructuredBuffer<uint> differs = ResourceDescriptorHeap[NonUniformResourceIndex(lane % 3)];
    EXPECT_EQ(differs[2], 12 + 10 * (lane % 3));
    EXPECT_EQ(global[3], 23);
    EXPECT_EQ(made(2).Load(0), 30);
    EXPECT_EQ(read(ResourceDescriptorHeap[lane & 1]), 11 + 10 * (lane & 1));
    EXPECT_EQ(((Buffer<uint>)ResourceDescriptorHeap[2])[1], 31);
    Holder holder;
    holder.pairs = ResourceDescriptorHeap[1];
    EXPECT_EQ(holder.pairs[1].b, 23);
    ConstantBuffer<Values> constants = ResourceDescriptorHeap[2];
    EXPECT_EQ(constants.all.z, 32);
    StructuredBuffer<uint> chosen;
    if (lane & 1) chosen = ResourceDescriptorHeap[0]; else chosen = ResourceDescriptorHeap[2];
    EXPECT_EQ(chosen[0], lane & 1 ? 10 : 30);
    EXPECT_EQ(((Buffer<uint>)ResourceDescriptorHeap[9])[0], 0);
    Buffer<uint> two[2] = { ResourceDescriptorHeap[0], ResourceDescriptorHeap[1] };
    EXPECT_EQ(two[0][0] + two[1][0], 30);
    Buffer<uint> either = lane & 1 ? ResourceDescriptorHeap[0] : ResourceDescriptorHeap[1];
    EXPECT_EQ(either[0], lane & 1 ? 10 : 20);
}

//--- views-of-one-element-share-its-bytes
//# args -T cs_6_6
//# in ResourceDescriptorHeap[5] u32: 0*4
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    RWStructuredBuffer<uint> words = ResourceDescriptorHeap[5];
    RWByteAddressBuffer bytes = ResourceDescriptorHeap[5];
    globallycoherent RWBuffer<uint> texels = ResourceDescriptorHeap[5];
    if (lane < 4) InterlockedAdd(words[0], 1);
    if (lane == 0) {
        bytes.Store(4, 7);
        EXPECT_EQ(words[1], 7);
        texels[3] = 9;
        EXPECT_EQ(bytes.Load(12), 9);
    }
}
//= ResourceDescriptorHeap[5] u32: 4, 7, 0, 9

//--- textures-and-samplers
//# finds buffer-out-of-bounds
//# args -T cs_6_6
//# in ResourceDescriptorHeap[1] u32: 5, 6
//# texture ResourceDescriptorHeap[2] R32_FLOAT 2x2: 1, 2, 3, 4
//# sampler SamplerDescriptorHeap[3] nearest clamp
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Texture2D<float> image = ResourceDescriptorHeap[2];
    SamplerState point_sampler = SamplerDescriptorHeap[3];
    EXPECT_EQ(image.SampleLevel(point_sampler, float2(0.75, 0.75), 0), 4);
    EXPECT_EQ(image[uint2(1, 0)], 2);
    // The element is not a texture, or not a buffer, or has another size: it counts as unbound.
    Texture2D<float> none = ResourceDescriptorHeap[1];
    EXPECT_EQ(none[uint2(0, 0)], 0);
    TextureCube<float> cube = ResourceDescriptorHeap[2];
    EXPECT_EQ(cube.SampleLevel(point_sampler, float3(1, 0, 0), 0), 0);
    StructuredBuffer<float> buffer = ResourceDescriptorHeap[2];
    EXPECT_EQ(buffer[0], 0);
    Buffer<uint> numbers = ResourceDescriptorHeap[1];
    EXPECT_EQ(numbers[1], 6);
}

//--- a-template-that-indexes-the-heap
//# args -T cs_6_6
//# in ResourceDescriptorHeap[4] u32: 40, 41
template<typename T> struct Bindless { T operator[](uint index) { return ResourceDescriptorHeap[index]; } };
static Bindless<Buffer<uint> > bindless;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(bindless[4][1], 41);
}

//--- an-old-shader-model
//# args -T cs_6_5
RWBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Buffer<uint> b = ResourceDescriptorHeap[0]; //~ error[needs-shader-model]: `ResourceDescriptorHeap` requires shader model 6.6, but the profile has 6.5
    Out[0] = b[0];
}

//--- a-sampler-is-not-a-resource
//# args -T cs_6_6
RWBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Buffer<uint> b = SamplerDescriptorHeap[0]; //~ error[type-mismatch]: does not convert
    Out[0] = b[0];
}

//--- an-element-without-a-type
//# args -T cs_6_6
RWBuffer<uint> Out;
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Out[0] = ResourceDescriptorHeap[lane].Load(0); //~ error[unknown-name]: has no method `Load`
}
