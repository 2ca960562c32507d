// Structures: members, methods, inheritance, static members, bit fields.

//--- structs-hold-structs-and-arrays
struct Inner { uint a[3]; uint2 v; };
struct Outer { Inner in0; Inner many[2]; float f; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Outer o = (Outer)0;
    o.many[t & 1].a[t % 3] = t + 1;
    o.in0 = o.many[t & 1];
    o.in0.v.y = 4;
    EXPECT_EQ(o.in0.a[t % 3], t + 1);
    EXPECT_EQ(o.in0.a[(t + 1) % 3], 0);
    EXPECT_EQ(o.many[(t & 1) ^ 1].a[t % 3], 0);
    EXPECT_EQ(o.many[t & 1].v, uint2(0, 0));
    EXPECT_EQ(o.in0.v, uint2(0, 4));
    EXPECT_EQ(o.f, 0.0);
}

//--- structs-are-copied
struct S { uint x; uint a[2]; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S s;
    s.x = t; s.a[0] = 1; s.a[1] = 2;
    S r = s;
    r.x = 50; r.a[1] = 60;
    EXPECT_EQ(s.x, t);
    EXPECT_EQ(s.a[1], 2);
    EXPECT_EQ(r.a[0] + r.a[1] + r.x, 111);
}

//--- structs-are-initialised-by-lists
struct P { float2 at; uint id; };
struct Q { P p; uint n[2]; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Q nested = { { float2(1, 2), t }, { 3, 4 } };
    Q flat = { 1, 2, t, 3, 4 };
    EXPECT_EQ(nested.p.at, float2(1, 2));
    EXPECT_EQ(flat.p.at, float2(1, 2));
    EXPECT_EQ(nested.p.id + flat.p.id, 2 * t);
    EXPECT_EQ(nested.n[1] * 10 + flat.n[0], 43);
    P p = { 5, 6, 7 };
    Q mixed = { p, 8, 9 };
    EXPECT_EQ(mixed.p.id + mixed.n[1], 16);
}

//--- structs-have-methods
struct Counter {
    uint n;
    uint step;
    void init(uint by) { n = 0; step = by; }
    uint next() { n += step; return n; }
    uint peek() { return this.n + step; }
    Counter copy() { Counter c = this; c.n += 100; return c; }
    static Counter make(uint by) { Counter c; c.init(by); return c; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Counter c = Counter::make(t);
    EXPECT_EQ(c.next(), t);
    EXPECT_EQ(c.next(), 2 * t);
    EXPECT_EQ(c.peek(), 3 * t);
    EXPECT_EQ(c.n, 2 * t);
    EXPECT_EQ(c.copy().n, 2 * t + 100);
    EXPECT_EQ(c.n, 2 * t);
}

//--- structs-methods-overload-and-are-defined-outside
struct S {
    uint x;
    uint add(uint y);
    uint add(uint y, uint z) { return x + y + z; }
    uint later() { return helper() + 1; }
    uint helper() { return x * 2; }
};
uint S::add(uint y) { x += y; return x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S s = { t };
    EXPECT_EQ(s.add(1), t + 1);
    EXPECT_EQ(s.add(1, 2), t + 4);
    EXPECT_EQ(s.later(), 2 * t + 3);
}

//--- structs-methods-of-elements-write-back
struct S { uint x; void bump() { x++; } };
groupshared S shared_one[WIDTH];
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S a[3] = { { 1 }, { 2 }, { 3 } };
    a[t % 3].bump();
    EXPECT_EQ(a[t % 3].x, t % 3 + 2);
    EXPECT_EQ(a[(t + 1) % 3].x, (t + 1) % 3 + 1);
    shared_one[t].x = t;
    shared_one[t].bump();
    EXPECT_EQ(shared_one[t].x, t + 1);
}

//--- structs-inherit
struct Base { uint a; uint twice() { return 2 * a; } uint id() { return 1; } };
struct Derived : Base { uint b; uint sum() { return a + b + twice(); } uint id() { return 2; } };
struct Third : Derived { uint c; };
uint of_base(Base x) { return x.a; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Derived d;
    d.a = t; d.b = 5;
    EXPECT_EQ(d.sum(), 3 * t + 5);
    EXPECT_EQ(d.id(), 2);
    EXPECT_EQ(of_base(d), t);
    Base b = (Base)d;
    EXPECT_EQ(b.id(), 1);
    EXPECT_EQ(b.twice(), 2 * t);
    Third e = { 1, 2, 3 };
    EXPECT_EQ(e.a * 100 + e.b * 10 + e.c, 123);
    EXPECT_EQ(e.sum(), 5);
}

//--- structs-have-static-members
struct Limits {
    static const uint Most = 8;
    static const uint Half = Most / 2;
    uint x;
    static uint clamped(uint v) { return v > Most ? Most : v; }
    uint room() { return Most - clamped(x); }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[Limits::Half];
    a[t % Limits::Half] = t;
    EXPECT_EQ(a[t % 4], t);
    Limits l = { t };
    EXPECT_EQ(l.room(), t > 8 ? 0 : 8 - t);
    EXPECT_EQ(Limits::clamped(100), 8);
}

//--- structs-have-static-tables
struct Table {
    static const uint values[3];
};
static const uint Table::values[3] = { 4, 5, 6 };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Table::values[t % 3], 4 + t % 3);
}

//--- structs-with-bit-fields-in-buffers
//# in In u32: 0xabc12345
struct Bits { uint a : 4; uint b : 8; uint c : 20; };
StructuredBuffer<Bits> In;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(In[0].a, 5);
    EXPECT_EQ(In[0].b, 0x34);
    EXPECT_EQ(In[0].c, 0xabc12);
    Bits b = In[0];
    b.b = 0x1ff;
    EXPECT_EQ(b.b, 0xff);
    EXPECT_EQ(b.a, 5);
    EXPECT_EQ(b.c, 0xabc12);
}

//--- structs-cast-from-zero-and-scalars
struct S { uint a; float2 b; uint c[2]; bool d; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S zero = (S)0;
    EXPECT_EQ(zero.a + zero.c[0] + zero.c[1], 0);
    EXPECT_EQ(zero.b, float2(0, 0));
    EXPECT_EQ(zero.d, false);
    S s = (S)t;
    EXPECT_EQ(s.a, t);
    EXPECT_EQ(s.b, float2(t, t));
    EXPECT_EQ(s.d, t != 0);
}

//--- structs-declared-with-variables-and-in-functions
struct Point { uint x, y; };
static struct Named { uint n; } one;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    struct Local { uint a; uint b; };
    Local l = { t, 2 };
    Point p = { 3, t }, q = p;
    one.n = 9;
    EXPECT_EQ(l.a * l.b, 2 * t);
    EXPECT_EQ(q.x + q.y, t + 3);
    EXPECT_EQ(one.n, 9);
}

//--- structs-as-entry-point-parameters
struct Ids { uint3 thread : SV_DispatchThreadID; uint t : SV_GroupIndex; };
[numthreads(WIDTH, 1, 1)]
void main(Ids ids) {
    EXPECT_EQ(ids.thread.x, ids.t);
    EXPECT_EQ(ids.t, WaveGetLaneIndex());
}

//--- classes-are-structs
class Box { uint v; uint get() { return v; } };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Box b;
    b.v = t;
    EXPECT_EQ(b.get(), t);
}

//--- structs-with-bit-fields-without-a-name
struct Packed {
    uint low : 3;
    uint : 5;
    uint high : 8;
    uint : 16;
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Packed p = (Packed)0;
    p.low = 5;
    p.high = t;
    EXPECT_EQ(p.low, 5);
    EXPECT_EQ(p.high, t);
    EXPECT_EQ(sizeof(Packed), 4);
}

//--- methods-of-local-structs-name-what-needs-no-local
static uint hidden = 3, later = 7;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    const uint k = 5;
    static uint kept = 6;
    static const uint2 pair = uint2(8, 9);
    uint wide = t;
    enum Kind { First = 2 };
    struct S {
        uint hidden;
        uint room[k];
        uint constant() { return k; }
        uint shared() { return ++kept; }
        uint element() { return pair.y; }
        uint size() { return sizeof(wide) + sizeof(pair); }
        uint enumerator() { return First; }
        uint member() { return hidden; }
        uint own() { uint wide = 11; return wide; }
        uint parameter(uint wide) { return wide; }
        // The local of this name is declared later, so this is the global.
        uint global() { return later; }
        // Its own name is in scope, too.
        S itself() { S copy = this; return copy; }
    };
    uint later = 9;
    S s = (S)0;
    s.hidden = t;
    EXPECT_EQ(s.constant(), 5);
    EXPECT_EQ(s.shared(), 7);
    EXPECT_EQ(kept, 7);
    EXPECT_EQ(s.element(), 9);
    EXPECT_EQ(s.size(), 12);
    EXPECT_EQ(s.enumerator(), 2);
    EXPECT_EQ(s.member(), t);
    EXPECT_EQ(s.own(), 11);
    EXPECT_EQ(s.parameter(wide), t);
    EXPECT_EQ(s.global(), 7);
    EXPECT_EQ(s.itself().hidden, t);
    EXPECT_EQ(later, 9);
}

//--- types-declared-behind-a-local-struct-are-not-its
typedef uint Word;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    struct S { uint size() { return sizeof(Word); } };
    typedef uint3 Word;
    S s;
    EXPECT_EQ(s.size(), 4);
    EXPECT_EQ(sizeof(Word), 12);
}
