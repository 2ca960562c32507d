// Enumerations, namespaces, aliases and templates.

//--- names-of-enumerations
enum Color { Red, Green = 4, Blue };
enum class Shape : uint { Round = 2, Square };
enum Flags { A = 1 << 0, B = 1 << 1, AB = A | B };
uint of(Shape s) { return s == Shape::Square ? 1 : 0; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ((uint)Red, 0);
    EXPECT_EQ((int)Color::Blue, 5);
    Color c = t & 1 ? Green : Blue;
    EXPECT_EQ(c == Green, (t & 1) == 1);
    EXPECT_EQ((int)c, (t & 1) ? 4 : 5);
    int n = Blue + 1;
    EXPECT_EQ(n, 6);
    Shape s = (Shape)(2 + (t & 1));
    EXPECT_EQ(of(s), t & 1);
    EXPECT_EQ((uint)s, 2 + (t & 1));
    EXPECT_EQ(t & AB, t & 3);
}

//--- names-of-enumerators-size-things
namespace Kernel { enum Size { Half = WIDTH / 2, Width = WIDTH }; }
groupshared uint cells[Kernel::Size::Width];
[numthreads(Kernel::Size::Width, 1, 1)]
void main(uint t : SV_GroupIndex) {
    cells[t] = t;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(cells[WIDTH - 1 - t], Kernel::Width - 1 - t);
    EXPECT_EQ(WaveActiveCountBits(true), 2 * (uint)Kernel::Half);
}

//--- names-in-namespaces
namespace A {
    static const uint N = 3;
    uint f(uint x) { return x + N; }
    struct S { uint v; };
    namespace B { uint f(uint x) { return A::f(x) * 2; } uint g() { return N; } }
}
namespace A { uint h() { return f(1); } }
uint f(uint x) { return 1000; }
namespace C { uint f(uint x) { return ::f(x) + 1; } }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(A::f(t), t + 3);
    EXPECT_EQ(A::B::f(t), 2 * t + 6);
    EXPECT_EQ(A::B::g() + A::h(), 7);
    EXPECT_EQ(f(t), 1000);
    EXPECT_EQ(C::f(t), 1001);
    A::S s = { t };
    EXPECT_EQ(s.v, t);
}

//--- names-used-from-a-namespace
namespace Lib { uint one() { return 1; } static const uint Two = 2; }
using namespace Lib;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(one() + Two, 3);
}

//--- names-for-types
typedef uint u32;
typedef float3 Vec, Point;
typedef uint Four[4];
using Pair = uint2;
typedef vector<int, 3> I3;
typedef matrix<float, 2, 2> M;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    u32 a = t;
    Vec v = float3(1, 2, 3);
    Point p = v;
    Four f = { 1, 2, 3, t };
    Pair q = Pair(a, 1);
    I3 i = I3(-1, 2, 3);
    M m = M(1, 2, 3, 4);
    unsigned int n = 3;
    dword d = 4;
    uint32_t w = 5;
    int32_t2 s = int32_t2(-1, 1);
    float32_t g = 0.5;
    EXPECT_EQ(p, v);
    EXPECT_EQ(f[3], t);
    EXPECT_EQ(q, uint2(t, 1));
    EXPECT_EQ(i.x + m[1][1], 3.0);
    EXPECT_EQ(n + d + w, 12);
    EXPECT_EQ(s, int2(-1, 1));
    EXPECT_EQ(g, 0.5);
}

//--- names-of-function-templates
template <typename T> T twice(T x) { return x + x; }
template <typename T, uint N> T power(T x) { T r = 1; for (uint i = 0; i < N; ++i) r *= x; return r; }
template <typename T, int N> T sum(T a[N]) { T s = 0; for (int i = 0; i < N; ++i) s += a[i]; return s; }
template <typename To, typename From> To to(From x) { return (To)x; }
template <typename T> uint kind(T x) { return 1; }
template <> uint kind<float>(float x) { return 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(twice(t), 2 * t);
    EXPECT_EQ(twice(float2(1, t)), float2(2, 2.0 * t));
    EXPECT_EQ(twice<float>(t), 2.0 * t);
    EXPECT_EQ((power<uint, 3>(t)), t * t * t);
    uint a[4] = { 1, 2, 3, t };
    EXPECT_EQ((sum<uint, 4>(a)), t + 6);
    EXPECT_EQ(to<int>(-1.5), -1);
    EXPECT_EQ(kind(t) * 10 + kind(1.0f), 12);
}

//--- names-of-structure-templates
template <typename T, uint N> struct Stack {
    T items[N];
    uint n;
    void push(T x) { items[n++] = x; }
    T pop() { return items[--n]; }
    static uint room() { return N; }
};
template <typename T> struct Pair { T a, b; T sum() { return a + b; } };
template <typename T> Pair<T> pair(T a, T b) { Pair<T> p; p.a = a; p.b = b; return p; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Stack<uint, 4> s;
    s.n = 0;
    s.push(t);
    s.push(7);
    EXPECT_EQ(s.pop(), 7);
    EXPECT_EQ(s.pop(), t);
    EXPECT_EQ((Stack<float2, 3>::room()), 3);
    EXPECT_EQ(pair(1.5, 2.5).sum(), 4.0);
    Stack<Pair<uint>, 2> nested;
    nested.n = 0;
    nested.push(pair(t, 1u));
    EXPECT_EQ(nested.pop().sum(), t + 1);
    Pair<uint2> v = pair(uint2(1, 2), uint2(t, 3));
    EXPECT_EQ(v.sum(), uint2(t + 1, 5));
}

//--- names-of-sizes
//# args -enable-16bit-types
struct S { uint a; float2 b; uint16_t c; };
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(sizeof(uint), 4);
    EXPECT_EQ(sizeof(float3), 12);
    EXPECT_EQ(sizeof(double), 8);
    EXPECT_EQ(sizeof(float16_t), 2);
    EXPECT_EQ(sizeof(S), 16);
    EXPECT_EQ(sizeof(uint[5]), 20);
    static_assert(sizeof(uint4) == 16, "four words");
    _Static_assert(sizeof(int) == 4, "a word");
}

//--- names-made-by-the-preprocessor
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define TYPES(op) op(uint, u) op(float, f) op(int2, i2)
#define MAKE(T, s) T JOIN(id_, s)(T x) { return x; }
TYPES(MAKE)
#define SQUARE(x) ((x) * (x))
#define SUM(first, ...) add(first, __VA_ARGS__)
#define GROUP [numthreads(WIDTH, 1, 1)]
#define LONG(a) \
    a + \
    1
uint add(uint a, uint b, uint c) { return a + b + c; }
#if UNDEFINED
#error an undefined name is zero
#elif defined(SQUARE) && !defined UNDEFINED && (WIDTH >= 4) && __SHADER_TARGET_MAJOR == 6
#define CHOSEN 1
#else
#define CHOSEN 2
#endif
#undef MAKE
#ifdef MAKE
#error undefined again
#endif
GROUP void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(id_u(t), t);
    EXPECT_EQ(id_f(0.5), 0.5);
    EXPECT_EQ(id_i2(int2(t, 1)), int2(t, 1));
    EXPECT_EQ(SQUARE(t + 1), (t + 1) * (t + 1));
    EXPECT_EQ(SUM(t, 2, 3), t + 5);
    EXPECT_EQ(LONG(t) * 2, t + 2);
    EXPECT_EQ(CHOSEN, 1);
    EXPECT_EQ(__HLSL_VERSION, 2021);
}

//--- names-of-the-language-are-in-a-namespace
//# args -HV 202x
using namespace hlsl;
using hlsl::float3;
static hlsl::float4 four = hlsl::float4(1, 2, 3, 4);
hlsl::uint sin(hlsl::uint x) { return 7; }
float sum(::hlsl::vector<float, 4> v) { return hlsl::dot(v, 1); }
template<typename T> T twice(T x) { return x + x; }
[numthreads(WIDTH, 1, 1)]
void main(hlsl::uint t : SV_GroupIndex) {
    EXPECT_EQ(sin(0u), 7u);
    EXPECT_EQ(hlsl::sin(0u), 0.0);
    EXPECT_EQ(sum(four), 10.0);
    EXPECT_EQ(twice<hlsl::uint>(t), 2 * t);
    EXPECT_EQ(hlsl::WaveActiveSum(1u), hlsl::WaveGetLaneCount());
    EXPECT_EQ((hlsl::uint)four.z, 3u);
    float3 v = hlsl::float3(1, 2, 3);
    EXPECT_EQ(v.z, 3.0);
    for (hlsl::uint i = 0; i < 2; i++) EXPECT_EQ(hlsl::min(i, 1u), i);
    EXPECT_EQ(hlsl::RAY_FLAG_FORCE_OPAQUE, 1u);
}

//--- names-of-a-namespace-hlsl-in-the-source-come-first
//# args -HV 202x
namespace hlsl {
    struct Pair { uint a, b; };
    uint abs(uint x) { return x + 100; }
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    hlsl::Pair pair = { t, 2 };
    EXPECT_EQ(hlsl::abs(pair.b), 102u);
    EXPECT_EQ(hlsl::min(pair.a, 0u), 0u);
    hlsl::uint2 v = hlsl::uint2(t, t);
    EXPECT_EQ(v.y, t);
}

//--- names-of-a-namespace-hlsl-before-202x
//# args -HV 2021
namespace hlsl { uint abs(uint x) { return x + 100; } }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(hlsl::abs(2u), 102u);
}
