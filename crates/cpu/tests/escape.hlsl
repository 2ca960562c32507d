// Every kind of access, at indices that come from `In` and may be any number. `escape.ir` is this, by
// `wavelane emit --ir -enable-16bit-types -T cs_6_6`.
struct Wide { uint a; float16_t b; double c; uint d[3]; };
StructuredBuffer<uint> In : register(t0);
StructuredBuffer<uint> Source : register(t1);
StructuredBuffer<Wide> Wides : register(t2);
ByteAddressBuffer Raw : register(t3);
Buffer<float4> Texels : register(t4);
Texture2D<float4> Image : register(t5);
Texture3D<float> Volume : register(t6);
Texture2DMS<float4> Samples : register(t7);
StructuredBuffer<uint> Sources[3] : register(t8);
cbuffer Constants : register(b0) { uint4 Row[4]; };
SamplerState Sampler : register(s0);
RWStructuredBuffer<uint> Out : register(u0);
RWStructuredBuffer<Wide> Outs : register(u1);
RWByteAddressBuffer Bytes : register(u2);
RWBuffer<uint> Words : register(u3);
RWTexture2D<float4> Picture : register(u4);
RWTexture2D<uint> Counts : register(u5);
RWStructuredBuffer<uint> Targets[3] : register(u6);
groupshared uint Shared[13];
groupshared uint64_t SharedWide[5];

uint touch(uint i, uint t) {
    uint own[5] = { t, 1, 2, 3, 4 };
    double wide[3] = { 1, 2, t };
    uint sum = Source[i] + Wides[i].a + (uint)Wides[i].b + (uint)Wides[i].c + Wides[i].d[i % 5];
    sum += Raw.Load(i) + Raw.Load4(i).w + (uint)Raw.Load<uint64_t>(i) + Raw.Load<uint16_t>(i);
    sum += (uint)Texels[i].y + Words[i] + Row[i].z + Sources[NonUniformResourceIndex(i)][i];
    sum += (uint)Image.Load(int3(i, i * 3, i)).x + (uint)Volume.Load(int4(i, 1, i, 0)).x;
    sum += (uint)Samples.Load(int2(i, 0), i).x + (uint)Picture[uint2(i, 1)].x + Counts[uint2(1, i)];
    float at = asfloat(i);
    sum += (uint)Image.SampleLevel(Sampler, float2(at, i), at).x + (uint)Image.Gather(Sampler, float2(i, at)).y;
    sum += (uint)Image.SampleGrad(Sampler, float2(i, at), at, float2(i, 1)).z;
    sum += Shared[i] + (uint)SharedWide[i] + own[i] + (uint)wide[i];
    Out[i] = sum;
    Outs[i].a = sum; Outs[i].b = 1; Outs[i].c = 2; Outs[i].d[i % 7] = 3;
    Bytes.Store(i, sum); Bytes.Store3(i, uint3(1, 2, 3)); Bytes.Store<uint16_t>(i, 1); Bytes.Store<double>(i, 1);
    Words[i] = sum;
    Picture[uint2(i, 0)] = 1; Picture[uint2(0, i)] = 2; Counts[uint2(i, i)] = 3;
    Targets[NonUniformResourceIndex(i)][i] = 4;
    Shared[i] = sum; SharedWide[i] = sum; own[i] = sum; wide[i] = sum;
    uint old;
    InterlockedAdd(Out[i], 1, old); sum += old;
    InterlockedMax(Out[i], t, old); sum += old;
    InterlockedAdd(Out[i], t);
    Bytes.InterlockedExchange(i, sum, old); sum += old;
    Bytes.InterlockedAdd(i, 1);
    InterlockedOr(Words[i], 7, old); sum += old;
    InterlockedAdd(Counts[uint2(i, 2)], 1, old); sum += old;
    InterlockedAdd(Shared[i], 1, old); sum += old;
    if ((sum & 1) == 0) Out[i + WavePrefixCountBits(true)] = sum;
    return sum + own[i] + (uint)wide[i];
}

[numthreads(40, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint hostile = In[0];
    uint sum = touch(In[t], t);
    sum += touch(hostile, t);
    sum += touch(hostile + t, t);
    sum += touch(hostile - t, t);
    sum += touch(hostile + t * 4, t);
    sum += touch(t * hostile, t);
    [loop] for (uint i = hostile; i - hostile < 9; ++i) sum += touch(i * 4, t);
    Out[t] = sum;
}
