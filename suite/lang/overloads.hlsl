// Operators for structs: methods and functions, conversions.

//--- overloads-of-every-operator
struct N {
    int v;
    N operator+(N o) { N r = { v + o.v }; return r; }
    N operator-(N o) { N r = { v - o.v }; return r; }
    N operator*(int k) { N r = { v * k }; return r; }
    N operator/(N o) { N r = { v / o.v }; return r; }
    N operator%(N o) { N r = { v % o.v }; return r; }
    N operator&(N o) { N r = { v & o.v }; return r; }
    N operator|(N o) { N r = { v | o.v }; return r; }
    N operator^(N o) { N r = { v ^ o.v }; return r; }
    N operator<<(int k) { N r = { v << k }; return r; }
    N operator>>(int k) { N r = { v >> k }; return r; }
    bool operator<(N o) { return v < o.v; }
    bool operator>(N o) { return v > o.v; }
    bool operator<=(N o) { return v <= o.v; }
    bool operator>=(N o) { return v >= o.v; }
    bool operator==(N o) { return v == o.v; }
    bool operator!=(N o) { return v != o.v; }
    bool operator&&(N o) { return v && o.v; }
    bool operator||(N o) { return v || o.v; }
    int operator[](int i) { return v * 10 + i; }
    int operator()(int a, int b) { return v + a * b; }
    int operator()() { return v; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    N a = { (int)lane + 8 }, b = { 3 };
    int t = a.v;
    EXPECT_EQ((a + b).v, t + 3);
    EXPECT_EQ((a - b).v, t - 3);
    EXPECT_EQ((a * 4).v, t * 4);
    EXPECT_EQ((a / b).v, t / 3);
    EXPECT_EQ((a % b).v, t % 3);
    EXPECT_EQ((a & b).v, t & 3);
    EXPECT_EQ((a | b).v, t | 3);
    EXPECT_EQ((a ^ b).v, t ^ 3);
    EXPECT_EQ((a << 2).v, t << 2);
    EXPECT_EQ((a >> 2).v, t >> 2);
    EXPECT(!(a < b) && a > b && !(a <= b));
    EXPECT(a >= b && !(a == b) && a != b);
    EXPECT((a && b) && (a || b));
    EXPECT_EQ(a[5], t * 10 + 5);
    EXPECT_EQ(a(2, 3), t + 6);
    EXPECT_EQ(a(), t);
    EXPECT_EQ((a + b + b).v, t + 6);
}

//--- overloads-as-functions
struct V { float x, y; };
V operator+(V a, V b) { V r = { a.x + b.x, a.y + b.y }; return r; } //~ warning[dxc-portability]: DXC accepts `operator+` only as a method of a struct
V operator*(float k, V a) { V r = { k * a.x, k * a.y }; return r; } //~ warning[dxc-portability]: DXC accepts `operator*` only as a method of a struct
V operator*(V a, float k) { return k * a; } //~ warning[dxc-portability]: DXC accepts `operator*` only as a method of a struct
V operator-(V a) { return -1.0 * a; } //~ warning[dxc-portability]: DXC accepts `operator-` only as a method of a struct
bool operator==(V a, V b) { return a.x == b.x && a.y == b.y; } //~ warning[dxc-portability]: DXC accepts `operator==` only as a method of a struct
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    V a = { t, 1 }, b = { 2, 3 };
    EXPECT_EQ((2.0 * (a + b)).x, 2.0 * t + 4);
    EXPECT_EQ((a * 3.0).y, 3.0);
    EXPECT_EQ((-b).y, -3.0);
    EXPECT(a + b == b + a);
}

//--- overloads-of-assignments
struct A {
    uint v;
    A operator+=(uint k) { v += k; return this; } //~ warning[dxc-portability]: DXC does not let a program define `operator+=`
    A operator++() { v++; return this; } //~ warning[dxc-portability]: DXC does not let a program define `operator++`
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A a;
    a.v = t;
    a += 3;
    EXPECT_EQ(a.v, t + 3);
    ++a;
    EXPECT_EQ(a.v, t + 4);
    A b = a;
    EXPECT_EQ(b.v, t + 4);
}

//--- overloads-of-conversions-are-none
struct Half {
    uint bits;
    operator float() { return bits / 2.0; } //~ error[bad-declaration]: HLSL has no conversion operators
    Half operator=(uint k) { bits = k; return this; } //~ error[bad-declaration]: assignment always copies
};
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Half h = { t };
    float f = h; //~ error[type-mismatch]: `Half` does not convert to `float`
}

//--- overloads-that-are-missing
struct V { float x; };
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    V a = { 1 }, b = { 2 };
    V c = a + b; //~ error[no-matching-function]: `+` is not defined for `(V, V)`
    bool d = a == b; //~ error[no-matching-function]: `==` is not defined for `(V, V)`
    a += b; //~ error[no-matching-function]: `+=` is not defined for `(V, V)`
    float e = a[0]; //~ error[no-matching-function]: `[]` is not defined for `(V, literal int)`
}

//--- overloads-need-2021
//# args -HV 2018
struct S { uint v; uint operator+(S o) { return v + o.v; } }; //~ error[needs-hlsl-2021]: operators for structs require HLSL 2021
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {}

//--- overloads-prefer-another-integer-to-a-float
uint f(int2 a) { return 1; }
uint f(float2 a) { return 2; }
uint g(uint a) { return 1; }
uint g(float a) { return 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(f(uint2(t, 1)), 1);
    EXPECT_EQ(f(float2(t, 1)), 2);
    EXPECT_EQ(g(int(t)), 1);
    EXPECT_EQ(g(double(t)), 2); //~ warning[lossy-conversion]: `double`
}
