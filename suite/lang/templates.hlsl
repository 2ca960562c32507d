// Templates: of functions, structs, aliases and variables; arguments written out, deduced and defaulted.

//--- templates-methods-defined-outside
template <typename T, uint N> struct Stack {
    T items[N];
    uint count;
    void clear();
    void push(T item);
    T pop();
    static uint capacity();
    template <typename U> U top_as();
};
template <typename T, uint N> void Stack<T, N>::clear() { count = 0; }
template <typename T, uint N> void Stack<T, N>::push(T item) { items[count++] = item; }
template <typename T, uint N> T Stack<T, N>::pop() { return items[--count]; }
template <typename T, uint N> uint Stack<T, N>::capacity() { return N; }
template <typename T, uint N> template <typename U> U Stack<T, N>::top_as() { return (U)items[count - 1]; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Stack<uint, 4> s;
    s.clear();
    s.push(t);
    s.push(t + 1);
    EXPECT_EQ(s.count, 2);
    EXPECT_EQ(s.top_as<float>(), t + 1.0);
    EXPECT_EQ(s.pop(), t + 1);
    EXPECT_EQ(s.pop(), t);
    EXPECT_EQ((Stack<uint, 4>::capacity()), 4);
    Stack<float2, 7> f;
    f.clear();
    f.push(float2(1, t));
    EXPECT_EQ(f.items[0], float2(1, t));
}

//--- templates-default-arguments
template <typename T = float, uint N = 2> struct Pair { T v[N]; };
template <typename T, typename R = T> R convert(T v) { return (R)v; }
template <uint N = 3> uint times(uint x) { return x * N; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Pair<> p;
    p.v[1] = 1.5;
    Pair<uint> q;
    q.v[0] = t;
    Pair<uint, 5> r;
    r.v[4] = t;
    EXPECT_EQ(p.v[1] + q.v[0], t + 1.5);
    EXPECT_EQ(r.v[4], t);
    EXPECT_EQ(sizeof(r), 20);
    EXPECT_EQ(convert(t), t);
    EXPECT_EQ((convert<uint, float>(t)), (float)t);
    EXPECT_EQ(times(t), 3 * t);
    EXPECT_EQ(times<5>(t), 5 * t);
}

//--- templates-partial-specialisations
template <typename T, uint N> struct Trait { static const uint kind = 0; };
template <typename T> struct Trait<T, 1> { static const uint kind = 1; };
template <uint N> struct Trait<float, N> { static const uint kind = 2; };
template <> struct Trait<float, 1> { static const uint kind = 3; };
template <typename T> struct Size;
template <typename T, int N> struct Size<vector<T, N> > { static const uint value = N; };
template <> struct Size<float> { static const uint value = 1; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ((Trait<int, 5>::kind), 0);
    EXPECT_EQ((Trait<int, 1>::kind), 1);
    EXPECT_EQ((Trait<float, 5>::kind), 2);
    EXPECT_EQ((Trait<float, 1>::kind), 3);
    EXPECT_EQ(Size<float3>::value, 3);
    EXPECT_EQ(Size<float>::value, 1);
}

//--- templates-traits-as-in-the-standard-library
template <typename A, typename B> struct is_same { static const bool value = false; };
template <typename A> struct is_same<A, A> { static const bool value = true; };
template <bool B, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { using type = T; };
template <bool B, typename T, typename F> struct conditional { typedef T type; };
template <typename T, typename F> struct conditional<false, T, F> { typedef F type; };
template <typename T> struct is_float { static const bool value = is_same<T, float>::value || is_same<T, half>::value; };
template <typename T> typename enable_if<is_float<T>::value, uint>::type kind(T v) { return 1; }
template <typename T> typename enable_if<!is_float<T>::value, uint>::type kind(T v) { return 2; }
template <typename T, typename = typename enable_if<is_same<T, uint>::value>::type> uint only_uint(T v) { return v; }
uint only_uint(float v) { return 99; }
template <typename T> struct remove_vec { using type = T; };
template <typename T, int N> struct remove_vec<vector<T, N> > { using type = T; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(kind(1.0f), 1);
    EXPECT_EQ(kind(t), 2);
    EXPECT_EQ(only_uint(t), t);
    EXPECT_EQ(only_uint(1.0f), 99);
    conditional<is_float<uint>::value, float, uint>::type x = t;
    EXPECT_EQ(x, t);
    static_assert(is_same<remove_vec<float3>::type, float>::value, "float3 is made of floats");
    static_assert(!is_same<int, uint>::value, "they differ");
    typename remove_vec<uint2>::type y = t;
    EXPECT_EQ(y, t);
}

//--- templates-of-variables
template <typename T> static const T pi = (T)3.140625;
template <typename T> static const bool is_uint = false;
template <> static const bool is_uint<uint> = true;
template <uint N> static const uint square = N * N;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(pi<float>, 3.140625);
    EXPECT_EQ(pi<uint>, 3);
    EXPECT_EQ(is_uint<uint>, true);
    EXPECT_EQ(is_uint<float>, false);
    uint a[square<3>];
    a[8] = t;
    EXPECT_EQ(a[8], t);
}

//--- templates-of-aliases
template <typename T> using Vec3 = vector<T, 3>;
template <typename T, uint N> struct Array { T data[N]; uint size() { return N; } };
template <uint N> using Words = Array<uint, N>;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Vec3<uint> v = uint3(1, 2, t);
    EXPECT_EQ(v.z, t);
    Words<6> w;
    w.data[5] = t;
    EXPECT_EQ(w.data[5] + w.size(), t + 6);
}

//--- templates-dependent-names
struct Policy {
    typedef float Value;
    static const uint count = 3;
    enum Mode { Off, On };
    struct Inner { uint x; };
    static uint twice(uint x) { return 2 * x; }
    template <typename T> T cast(uint x) { return (T)x; }
};
template <typename P> struct User {
    typename P::Value v;
    typename P::Inner inner;
    uint run(uint x) {
        typename P::Value local = (typename P::Value)x;
        uint a[P::count];
        a[P::count - 1] = P::twice(x);
        P p;
        return a[P::count - 1] + (uint)local + P::On + (uint)p.template cast<int>(x);
    }
};
template <typename P> typename P::Value half_of(P p, uint x) { return (typename P::Value)x / 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    User<Policy> u;
    u.v = 0.5;
    u.inner.x = t;
    EXPECT_EQ(u.run(t), 4 * t + 1);
    EXPECT_EQ(u.v, 0.5);
    Policy p;
    EXPECT_EQ(half_of(p, t), t / 2.0);
}

//--- templates-nested
template <typename T> struct Outer {
    template <typename U> struct Inner { T a; U b; };
    Inner<uint> field;
    template <typename U> static U twice(U u) { return u + u; }
};
template <typename T, typename U> struct Both { T t; U u; Both<U, T> swapped() { Both<U, T> r; r.t = u; r.u = t; return r; } };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Outer<float>::Inner<uint2> i;
    i.a = 1.5;
    i.b = uint2(t, 2);
    Outer<float> o;
    o.field.b = t;
    EXPECT_EQ(i.a + i.b.x + o.field.b, 1.5 + 2 * t);
    EXPECT_EQ(Outer<int>::twice(t), 2 * t);
    Both<uint, float> b;
    b.t = t;
    b.u = 2.5;
    EXPECT_EQ(b.swapped().t, 2.5);
    EXPECT_EQ(b.swapped().u, t);
}

//--- templates-recursion-ends-in-a-specialisation
template <uint N> struct Factorial { static const uint value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static const uint value = 1; };
template <uint N> uint sum_to(uint x) { return x + sum_to<N - 1>(x); }
template <> uint sum_to<0>(uint x) { return 0; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Factorial<5>::value, 120);
    EXPECT_EQ(sum_to<4>(t), 4 * t);
}

//--- templates-static-asserts-inside
template <typename T, uint N> struct Ring {
    static_assert((N & (N - 1)) == 0, "a power of two");
    static_assert(sizeof(T) >= 4, "words");
    T data[N];
    T at(uint i) { return data[i & (N - 1)]; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Ring<uint, 8> r;
    r.data[t & 7] = t;
    EXPECT_EQ(r.at(t), t);
}

//--- templates-static-asserts-that-fail
template <uint N> struct Ring {
    static_assert((N & (N - 1)) == 0, "a power of two"); //~ error[static-assert]: a power of two
    uint data[N];
};
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Ring<8> fine;
    Ring<6> bad;
}

//--- templates-functors-and-resources
struct Sum { static uint identity() { return 0; } uint operator()(uint a, uint b) { return a + b; } };
struct Max { static uint identity() { return 0; } uint operator()(uint a, uint b) { return max(a, b); } };
template <typename Op, typename B> uint fold(B buffer, uint n) {
    Op op;
    uint r = Op::identity();
    for (uint i = 0; i < n; i++) r = op(r, buffer[i]);
    return r;
}
template <typename T> T first(StructuredBuffer<T> b) { return b[0]; }
//# in In u32: 3 9 4
StructuredBuffer<uint> In;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ((fold<Sum>(In, 3)), 16);
    EXPECT_EQ((fold<Max>(In, 3)), 9);
    EXPECT_EQ(first(In), 3);
}

//--- templates-deduce-arrays-and-vectors
template <typename T, uint N> T total(T a[N]) {
    T s = (T)0;
    for (uint i = 0; i < N; i++) s += a[i];
    return s;
}
template <typename T, int N> T sum(vector<T, N> v) {
    T s = (T)0;
    for (int i = 0; i < N; i++) s += v[i];
    return s;
}
template <typename T, int R, int C> uint cells(matrix<T, R, C> m) { return R * 10 + C; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a[3] = { t, 2, 3 };
    EXPECT_EQ(total(a), t + 5);
    EXPECT_EQ(sum(float3(1, 2, t)), t + 3.0);
    EXPECT_EQ(cells((float2x3)0), 23);
}

//--- templates-of-operators
//# args -Wno-dxc-portability
template <typename T> struct Complex {
    T re, im;
    Complex<T> operator+(Complex<T> o) { Complex<T> r = { re + o.re, im + o.im }; return r; }
    Complex operator*(Complex o) { Complex r = { re * o.re - im * o.im, re * o.im + im * o.re }; return r; }
    bool operator==(Complex o) { return re == o.re && im == o.im; }
    template <typename U> Complex operator*(U k) { Complex r = { re * k, im * k }; return r; }
};
template <typename T> Complex<T> operator-(Complex<T> a, Complex<T> b) { Complex<T> r = { a.re - b.re, a.im - b.im }; return r; }
template <typename T> Complex<T> make(T re, T im) { Complex<T> r; r.re = re; r.im = im; return r; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Complex<int> a = make((int)t, 1), b = make(2, 3);
    EXPECT_EQ((a + b).re, (int)t + 2);
    EXPECT_EQ((a * b).im, 3 * (int)t + 2);
    EXPECT_EQ((a - b).im, -2);
    EXPECT((a - a) == make(0, 0));
    EXPECT_EQ((a * 3).re, 3 * (int)t);
}

//--- templates-need-2021
//# args -HV 2018
template <typename T> T id(T v) { return v; } //~ error[needs-hlsl-2021]: templates require HLSL 2021
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {}

//--- methods-of-struct-templates-wait-for-use
template <typename T> struct Holder {
    T it;
    float4 at(uint3 p) { return it[p]; }
    uint size() { uint w, h; it.GetDimensions(w, h); return w; }
    uint later();
    template <typename U> U misfit() { return it.no_such_field; }
    static uint count() { return 7; }
    struct Inner { uint twice(T v) { return 2 * v; } uint one() { return 1; } };
};
template <typename T> uint Holder<T>::later() { return it.nothing + 1; }
struct Wide : Holder<float4> {};
template <> struct Holder<uint> { uint it; uint later() { return it + 5; } };
TextureCube<float4> cube;
void unused(Holder<TextureCube<float4> > h) {}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Holder<TextureCube<float4> > h;
    h.it = cube;
    unused(h);
    Holder<float2> two;
    EXPECT_EQ(two.count(), 7);
    Wide wide;
    EXPECT_EQ(wide.count(), 7);
    Holder<float3>::Inner inner;
    EXPECT_EQ(inner.one(), 1);
    Holder<uint> special = { t };
    EXPECT_EQ(special.later(), t + 5);
}

//--- methods-of-struct-templates-that-are-used-are-checked
template <typename T> struct Holder {
    T it;
    uint used() { return deeper(); }
    uint deeper() { return it.missing; } //~ error[unknown-name]
    uint later();
};
uint ask(Holder<int> h) { return h.later(); }
template <typename T> uint Holder<T>::later() { return it.absent; } //~ error[unknown-name]
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Holder<float> h;
    h.used();
}
