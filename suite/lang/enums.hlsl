// Enumerations are separate types.

//--- enums-count-and-convert
enum Color { Red, Green = 5, Blue, Alias = Green };
enum class Mode : uint { Off, On = 3, Last };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int r = Red;
    EXPECT_EQ(r, 0);
    EXPECT_EQ(Blue + 1, 7);
    EXPECT_EQ(Color::Green, Alias);
    Color c = (Color)(t % 2 ? 5 : 0);
    EXPECT(c == (t % 2 ? Green : Red));
    Mode m = Mode::On;
    EXPECT_EQ((uint)m, 3);
    EXPECT_EQ(uint(Mode::Last), 4);
    EXPECT(m != Mode::Off);
    EXPECT(m < Mode::Last);
    m = (Mode)4u;
    EXPECT(m == Mode::Last);
    uint a[Blue];
    a[Green] = t;
    EXPECT_EQ(a[5], t);
    float f = Blue;
    EXPECT_EQ(f, 6.0);
    EXPECT_EQ(sizeof(Color), 4);
}

//--- enums-choose-overloads
enum A { A0, A1 };
enum B { B0, B1 };
enum class C : uint { C0 };
uint which(A a) { return 1; }
uint which(B b) { return 2; }
uint which(C c) { return 3; }
uint which(uint u) { return 4; }
uint which(int i) { return 5; }
uint number(uint u) { return u; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A a = A1;
    B b = (B)(t & 1);
    EXPECT_EQ(which(a), 1);
    EXPECT_EQ(which(A0), 1);
    EXPECT_EQ(which(b), 2);
    EXPECT_EQ(which(C::C0), 3);
    EXPECT_EQ(which(t), 4);
    EXPECT_EQ(which(1), 5);
    EXPECT_EQ(which(a + 1), 5);
    EXPECT_EQ(number(A1), 1);
}

//--- enums-in-switches-and-structs
enum class Op { Add, Sub, Mul };
struct Cmd { Op op; int value; };
int apply(Cmd c, int x) {
    switch (c.op) {
        case Op::Add: return x + c.value;
        case Op::Sub: return x - c.value;
        default: return x * c.value;
    }
}
StructuredBuffer<Cmd> In;
//# in In i32: 0 5 1 5 2 5
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int expected[3] = { 12, 2, 35 };
    EXPECT_EQ(apply(In[t % 3], 7), expected[t % 3]);
    Cmd c = { Op::Sub, 1 };
    EXPECT_EQ(apply(c, (int)t), (int)t - 1);
    Cmd zero = (Cmd)0;
    EXPECT(zero.op == Op::Add);
}

//--- enums-as-template-arguments
enum class Kind { Sum, Max };
template <Kind K> uint combine(uint a, uint b) { return K == Kind::Sum ? a + b : max(a, b); }
template <typename T> uint bits(T v) { return (uint)v; }
template <bool B, int N> struct Flags { static const int value = B ? N : -N; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(combine<Kind::Sum>(t, 3), t + 3);
    EXPECT_EQ(combine<Kind::Max>(t, 3), max(t, 3));
    EXPECT_EQ(bits(Kind::Max), 1);
    int v = Flags<true, 4>::value;
    EXPECT_EQ(v, 4);
    v = Flags<false, 4>::value;
    EXPECT_EQ(v, -4);
}

//--- enums-nested-in-structs-and-namespaces
namespace N { enum class E { X = 2, Y }; enum F { P = 8, Q }; struct S { enum G { R = 11 }; G g; }; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    N::E e = N::E::Y;
    EXPECT_EQ((int)e, 3);
    EXPECT_EQ(N::Q + N::F::P, 17);
    N::S s;
    s.g = N::S::R;
    EXPECT_EQ((int)s.g, 11);
    using namespace N;
    EXPECT_EQ(P, 8);
    typedef N::E Short;
    EXPECT_EQ((int)Short::X, 2);
}

//--- enums-of-other-integers
enum Wide : uint64_t { Low = 1, High = 0x100000000 };
enum class Signed : int { Minus = -4, Zero = 0 };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint64_t w = High;
    EXPECT_EQ((uint)(w >> 32), 1);
    EXPECT_EQ((int)Signed::Minus, -4);
    EXPECT(Signed::Minus < Signed::Zero);
    EXPECT_EQ(sizeof(Wide), 8);
    EXPECT_EQ(WaveActiveMin((int)Signed::Minus + (int)t), -4);
}

//--- enums-flags
enum Flags { None = 0, A = 1 << 0, B = 1 << 1, All = A | B };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint f = A;
    f |= B;
    EXPECT_EQ(f, All);
    EXPECT_EQ(f & ~A, B);
    EXPECT(!(None));
    EXPECT((f & B) != 0);
    EXPECT((All & (Flags)t) == (t & 3));
    bool any = A;
    EXPECT(any);
}

//--- enums-scoped-do-not-convert
enum class E { X, Y };
uint of(uint u) { return u; }
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int a = E::X; //~ error[type-mismatch]: `E` does not convert to `int`
    E e = 1; //~ error[type-mismatch]: `literal int` does not convert to `E`
    uint b = E::X + 1; //~ error[type-mismatch]: cannot be applied to `E`
    uint c = of(E::Y); //~ error[no-matching-function]: this is `E`
    if (e == 0) {} //~ error[type-mismatch]: cannot be applied to `E`
}

//--- enums-unscoped-do-not-take-integers
enum F { P, Q };
enum G { R };
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    F a = 1; //~ error[type-mismatch]: does not convert to `F`
    F b = R; //~ error[type-mismatch]: `G` does not convert to `F`
    F c = P;
    c = Q + 1; //~ error[type-mismatch]: does not convert to `F`
    c++; //~ error[type-mismatch]: `++` does not work on `F`
    F d = (F)1;
}

//--- enums-names-that-are-slips
enum class Color { Crimson, Emerald };
enum Shape { Circle, Square };
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Color c = Color::Emerlad; //~ error[unknown-name]: there is no enumerator `Emerlad` in `Color`
    Shape s = Sqare; //~ error[unknown-name]: there is no variable `Sqare`
    Color d = Crimson; //~ error[unknown-name]: there is no variable `Crimson`
}

//--- enums-older-versions-have-none
//# args -HV 2016
enum E { X }; //~ error[needs-hlsl-2021]: enums require HLSL 2017
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {}
