// Many features combined, as in real shaders.

//--- as-people-write-a-reduction
#define GROUP WIDTH
namespace Utils {
    static const uint kInvalid = 0xFFFFFFFF;
    template <typename T> T WaveSum(T v) { return WaveActiveSum(v); }
    namespace Detail { uint hash(uint x) { x ^= x >> 16; x *= 0x7feb352dU; x ^= x >> 15; return x; } }
    using Detail::hash;
}
struct Ray { float3 o, d; float tmin, tmax; };
struct Hit { float t; uint prim; bool valid() { return prim != Utils::kInvalid; } };
cbuffer Params { uint2 dims; float4x4 view; float3 eye; uint flags : packoffset(c6.w); };
//# in Params f32: 0*64
groupshared struct { uint counter; float values[GROUP]; } lds;
[numthreads(GROUP, 1, 1)]
void main(uint3 dtid : SV_DispatchThreadID, uint gi : SV_GroupIndex, uint3 gid : SV_GroupID) {
    if (gi == 0) lds.counter = 0;
    GroupMemoryBarrierWithGroupSync();
    uint slot;
    InterlockedAdd(lds.counter, 1, slot);
    lds.values[slot] = float(gi);
    GroupMemoryBarrierWithGroupSync();
    Ray r = (Ray)0;
    r.d = normalize(float3(1, 2, 2));
    Hit h = { 1e30f, Utils::kInvalid };
    float4 pos = mul(view, float4(r.d, 1));
    EXPECT_EQ(pos, float4(0, 0, 0, 0));
    EXPECT(!h.valid());
    EXPECT_EQ(lds.counter, GROUP);
    EXPECT_EQ(Utils::WaveSum(lds.values[gi]), WIDTH * (WIDTH - 1) / 2.0);
    EXPECT_EQ(Utils::hash(0), 0);
    EXPECT_EQ(Utils::Detail::hash(1), Utils::hash(1));
}

//--- as-people-write-typedefs
typedef struct { uint a; float b; } Pair, Pairs[2];
typedef struct Node { uint next; uint value; } Node;
typedef uint Words[3];
typedef const float4 Constant;
typedef vector<float, 3> Vec;
Words make(uint t) { Words w = { t, t + 1, t + 2 }; return w; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Pair p = { 1, 2.5 };
    Pairs ps = { p, p };
    ps[1].a = t;
    Node n = { 1, t };
    Words w = make(t);
    Words ww[2] = { w, w };
    EXPECT_EQ(ps[0].a + ps[1].a + n.value, 1 + 2 * t);
    EXPECT_EQ(ww[1][2], t + 2);
    Constant c = float4(1, 2, 3, 4);
    Vec v = c.xyz;
    EXPECT_EQ(v.z, 3.0);
}

//--- as-people-write-expressions
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = 0, b = 0;
    a = 1, b = 2;
    uint c = (a++, b++, a + b);
    EXPECT_EQ(c, 5);
    uint d = t < 1 ? 10 : t < 2 ? 20 : t < 3 ? 30 : 40;
    EXPECT_EQ(d, min(t, 3u) * 10 + 10);
    for (uint i = 0, j = 0; i < 4; i++, j += 2) b = j;
    EXPECT_EQ(b, 6);
    uint e = a | b + c << 2;
    EXPECT_EQ(e, a | ((b + c) << 2));
    bool f = !t == false;
    EXPECT_EQ(f, t != 0);
    int g = -(int)t >> 1;
    EXPECT_EQ(g, (int)(-((int)t)) >> 1);
    EXPECT_EQ(t - 1 - 1, t - 2);
    EXPECT_EQ(~t & 0xff, 255 - (t & 255));
    EXPECT_EQ((uint)(t > 2) + (uint)true, t > 2 ? 2 : 1);
    EXPECT_EQ(true + true, 2);
    EXPECT_EQ(7 % 3 - -7 % 3, 2);
    EXPECT_EQ(5.5 % 2, 1.5);
    uint2 v = uint2(1, 2);
    v <<= 2;
    v |= 1;
    v ^= uint2(t, 0);
    EXPECT_EQ(v, uint2(5 ^ t, 9));
    float q = 7;
    q /= 2;
    q %= 2;
    EXPECT_EQ(q, 1.5);
}

//--- as-people-write-methods
struct M { float v[4]; float get(uint i) { return v[i]; } void set(uint i, float x) { v[i] = x; } M with(uint i, float x) { M m = this; m.set(i, x); return m; } };
M zero() { return (M)0; }
static M statics[2];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(zero().with(t & 3, 5).get(t & 3), 5.0);
    statics[t & 1].set(t & 3, t);
    EXPECT_EQ(statics[t & 1].get(t & 3), (float)t);
    EXPECT_EQ(statics[1 - (t & 1)].get(t & 3), 0.0);
    M many[2] = statics;
    many[0].v = many[1].v;
    EXPECT_EQ(many[0].get(t & 3), (t & 1) ? (float)t : 0.0);
}

//--- as-people-write-views-of-buffers
struct View { RWStructuredBuffer<uint> b; uint offset; uint load(uint i) { return b[offset + i]; } void store(uint i, uint v) { b[offset + i] = v; } };
RWStructuredBuffer<uint> A;
RWStructuredBuffer<uint> B;
//# zero A 1024
//# zero B 1024
uint sum(RWStructuredBuffer<uint> x, uint i) { return x[i] + 1; }
RWStructuredBuffer<uint> choose(uint offset) { return offset > 1 ? A : A; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    View v;
    v.b = A;
    v.offset = 2;
    v.store(t, t + 5);
    EXPECT_EQ(v.load(t), t + 5);
    EXPECT_EQ(sum(A, t + 2), t + 6);
    RWStructuredBuffer<uint> local = B;
    local[t] = 9;
    EXPECT_EQ(sum(local, t), 10);
    RWStructuredBuffer<uint> picked = choose(v.offset);
    EXPECT_EQ(picked[t + 2], t + 5);
}

//--- as-people-write-matrices
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3x3 m = float3x3(float3(1, 0, 0), float3(0, 2, 0), float3(0, 0, 3));
    m *= 2;
    m += 1;
    EXPECT_EQ(m[1], float3(1, 5, 1));
    float3x3 n = m * m;
    EXPECT_EQ(n._22, 25.0);
    EXPECT_EQ(mul(m, float3(1, 0, 0)), float3(3, 1, 1));
    EXPECT_EQ(transpose(m)[0], float3(3, 1, 1));
    bool3x3 c = m > 2;
    EXPECT_EQ(c._11, true);
    EXPECT_EQ(c._12, false);
    float2x3 k = (float2x3)m;
    EXPECT_EQ(k[1], float3(1, 5, 1));
    float3x3 neg = -m;
    EXPECT_EQ(neg[2][2], -7.0);
    m[t % 3] = float3(9, 9, 9);
    EXPECT_EQ(m[t % 3].y, 9.0);
    float4x4 id = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };
    EXPECT_EQ(determinant(id), 1.0);
    int2x2 im = int2x2(1, 2, 3, 4);
    im++;
    EXPECT_EQ(im[1], int2(4, 5));
    EXPECT_EQ(im._m00_m11, int2(2, 5));
    float total = 0;
    for (uint r = 0; r < 4; r++) total += id[r][r];
    EXPECT_EQ(total, 4.0);
}

//--- as-people-write-selections
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool2 c = bool2(t & 1, t & 2);
    EXPECT_EQ(select(c, uint2(1, 2), uint2(3, 4)), uint2((t & 1) ? 1 : 3, (t & 2) ? 2 : 4));
    EXPECT_EQ(and(c, bool2(true, false)), bool2(t & 1, false));
    EXPECT_EQ(or(c, bool2(true, false)), bool2(true, t & 2));
    EXPECT_EQ(select(t > 1, 1.5, 2.5), t > 1 ? 1.5 : 2.5);
    EXPECT(any(c) == ((t & 3) != 0));
}

//--- as-people-write-out-arguments
void halves(out uint lo, out uint hi, uint64_t v) { lo = (uint)v; hi = (uint)(v >> 32); }
void vec(out float3 v) { v = float3(1.9, 2.9, 3.9); }
void arr(out uint a[2]) { a[0] = 1; a[1] = 2; }
bool try_get(uint k, out uint v) { v = 0; if (k > 2) { v = k; return true; } return false; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 parts;
    halves(parts.x, parts.y, 0x100000002ull + t);
    EXPECT_EQ(parts, uint2(2 + t, 1));
    int3 iv;
    vec(iv);
    EXPECT_EQ(iv, int3(1, 2, 3));
    float4 f4 = 0;
    vec(f4.yzw);
    EXPECT_EQ(f4, float4(0, 1.9, 2.9, 3.9));
    uint a[2];
    arr(a);
    EXPECT_EQ(a[t & 1], 1 + (t & 1));
    uint v;
    if (try_get(t, v)) EXPECT_EQ(v, t); else EXPECT_EQ(v, 0);
    min16uint small;
    halves(v, small, 7);
    EXPECT_EQ((uint)small, 0);
}
