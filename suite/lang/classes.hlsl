// Structs, classes and interfaces that inherit.

//--- classes-hide-and-call-the-base
struct Base {
    uint a;
    uint f() { return a; }
    uint g(uint x) { return 100 + x; }
    static uint s() { return 7; }
};
struct Derived : Base {
    uint b;
    uint f() { return Base::f() * 10 + b; }
    uint g(float x) { return 200; }
    uint both() { return this.a + b + Base::s(); }
};
struct Last : Derived {
    uint f() { return Derived::f() + Base::f() + 1000; }
    uint all() { return a + b; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Derived d = { t, 2 };
    EXPECT_EQ(d.f(), 10 * t + 2);
    EXPECT_EQ(d.g(1u), 200);
    EXPECT_EQ(d.both(), t + 9);
    EXPECT_EQ(Derived::s(), 7);
    Last l = { t, 3 };
    EXPECT_EQ(l.f(), 10 * t + 3 + t + 1000);
    EXPECT_EQ(l.all(), t + 3);
    l.a = 5;
    EXPECT_EQ(((Base)l).f(), 5);
}

//--- classes-fields-of-the-same-name
struct Base { uint x; uint base_x() { return x; } };
struct Derived : Base { uint x; uint sum() { return Base::x * 10 + x; } };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Derived d = { 4, t };
    EXPECT_EQ(d.x, t);
    EXPECT_EQ(d.base_x(), 4);
    EXPECT_EQ(d.sum(), 40 + t);
}

//--- classes-as-out-arguments-of-their-base
struct Base { uint a; };
struct Derived : Base { uint b; };
void fill(out Base x) { x.a = 5; }
void bump(inout Base x) { x.a++; }
uint read(Base x) { return x.a; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Derived d;
    d.b = t;
    fill(d);
    bump(d);
    EXPECT_EQ(d.a * 100 + read(d), 606);
    EXPECT_EQ(d.b, t);
    Base b = d;
    EXPECT_EQ(b.a, 6);
}

//--- classes-with-interfaces
interface IShape { float area(); float scaled(float k); };
interface INamed { uint id(); };
class Square : IShape, INamed {
    float side;
    float area() { return side * side; }
    float scaled(float k) { return area() * k; }
    uint id() { return 4; }
};
struct Circle : IShape {
    float r;
    float area() { return 3 * r * r; }
    float scaled(float k) { return area() * k; }
};
template <typename S> float twice(S s) { return s.scaled(2); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Square s;
    s.side = t;
    Circle c = { t };
    EXPECT_EQ(twice(s), 2.0 * t * t);
    EXPECT_EQ(twice(c), 6.0 * t * t);
    EXPECT_EQ(s.id(), 4);
}

//--- classes-static-members
struct Counter {
    static uint total;
    static const uint limit = 10;
    static const float table[2];
    uint own;
    void add(uint n) { total += n; own += n; }
    static uint get() { return total; }
};
static uint Counter::total = 5;
static const float Counter::table[2] = { 1.5, 2.5 };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Counter a = (Counter)0, b = (Counter)0;
    a.add(t);
    b.add(1);
    EXPECT_EQ(Counter::total, t + 6);
    EXPECT_EQ(Counter::get(), t + 6);
    EXPECT_EQ(a.own + b.own, t + 1);
    EXPECT_EQ(Counter::table[t & 1], 1.5 + (t & 1));
    EXPECT_EQ(a.limit, 10);
    EXPECT_EQ(sizeof(Counter), 4);
}

//--- classes-nested-types
struct Outer {
    struct Inner { uint x; uint twice() { return 2 * x; } };
    enum Kind { A, B = 4 };
    typedef uint2 Pair;
    Inner inner;
    Kind kind;
    Pair pair;
    struct { uint u; float f; } anonymous;
    Inner make(uint x) { Inner i = { x }; return i; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Outer o = (Outer)0;
    o.inner.x = t;
    o.kind = Outer::B;
    o.pair = Outer::Pair(1, t);
    o.anonymous.u = 3;
    Outer::Inner i = o.make(t + 1);
    EXPECT_EQ(o.inner.twice() + i.x, 3 * t + 1);
    EXPECT_EQ((uint)o.kind + o.pair.y + o.anonymous.u, t + 7);
}

//--- classes-const-methods-and-this
struct S {
    uint v;
    uint get() const { return this.v; }
    S plus(uint k) const { S r = this; r.v += k; return r; }
    void set(uint k) { this.v = k; }
    void replace(S o) { this = o; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    const S c = { t };
    EXPECT_EQ(c.get(), t);
    EXPECT_EQ(c.plus(2).get(), t + 2);
    S s;
    s.set(9);
    EXPECT_EQ(s.v, 9);
    s.replace(c);
    EXPECT_EQ(s.v, t);
}

//--- classes-const-objects-are-not-changed
struct S { uint v; void set(uint k) { v = k; } uint get() const { v = 1; return v; } }; //~ error[not-assignable]: `this` is `const`
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    const S c = { t };
    c.v = 2; //~ error[not-assignable]: `c` is `const`
}

//--- classes-two-bases
struct A { uint a; };
struct B { uint b; };
struct C : A, B { uint c; }; //~ error[bad-declaration]: a struct can inherit from only one struct
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {}

//--- classes-bitfields
struct F {
    uint a : 3;
    int b : 5;
    uint64_t c : 40;
    bool d : 1;
    uint e : 20;
    uint f : 20;
};
enum class Kind : uint { None, Some = 5 };
struct G { Kind k : 4; uint rest : 28; };
//# in In u32: 0xffffff85
StructuredBuffer<G> In;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    F f = (F)0;
    f.a = t;
    f.b = -3;
    f.c = 0xabcdef1234;
    f.d = true;
    f.e = 0xfffff;
    f.f = t;
    EXPECT_EQ(f.a, t & 7);
    EXPECT_EQ(f.b, -3);
    EXPECT_EQ((uint)(f.c >> 8), 0xabcdef12);
    EXPECT_EQ(f.d, true);
    EXPECT_EQ(f.e, 0xfffff);
    EXPECT_EQ(f.f, t);
    f.a++;
    EXPECT_EQ(f.a, (t + 1) & 7);
    f.b -= 15;
    EXPECT_EQ(f.b, 14);
    EXPECT(In[0].k == Kind::Some);
    EXPECT_EQ(In[0].rest, 0xffffff8);
    F g = { 1, -1, 2, false, 3, 4 };
    EXPECT_EQ(g.a + g.e + g.f, 8);
    EXPECT_EQ(g.b, -1);
    EXPECT_EQ(sizeof(G), 4);
}

//--- interfaces-that-are-not-kept
interface I { uint f(uint x); };
struct S : I { uint g() { return 1; } }; //~ error[bad-declaration]: `S` does not define `f` of `I`
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
}
