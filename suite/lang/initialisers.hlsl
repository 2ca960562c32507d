// Values for variables: lists that flatten, casts between aggregates.

//--- initialisers-flatten-everything
struct S { float2 a; int b[2]; float2x2 m; };
struct T { S s; uint last; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float4 v = { 1, 2, 3, t };
    float4 w = { v.xy, 5, 6 };
    EXPECT_EQ(w, float4(1, 2, 5, 6));
    S s = { v, 7, 8, v.yx };
    EXPECT_EQ(s.a, float2(1, 2));
    EXPECT_EQ(s.b[1], (int)t);
    EXPECT_EQ(s.m[0], float2(7, 8));
    EXPECT_EQ(s.m[1], float2(2, 1));
    T x = { s, 9 };
    EXPECT_EQ(x.s.m[1].x + x.last, 11.0);
    T y = { { { 1, 2 }, { 3, 4 }, { { 5, 6 }, { 7, 8 } } }, 9u };
    EXPECT_EQ(y.s.m[1].y + y.s.b[0], 11.0);
    T arr[2] = { x, y };
    EXPECT_EQ(arr[1].s.m[0].x + arr[0].last, 14.0);
    float2x2 m = { v };
    EXPECT_EQ(m[1], float2(3, t));
    float2 pairs[] = { 1, 2, v, 3, 4 };
    EXPECT_EQ(pairs[2], float2(3, t));
    EXPECT_EQ(sizeof(pairs), 32);
    uint one = { t };
    EXPECT_EQ(one, t);
    int conv[3] = { t + 1.5f, true, t };
    EXPECT_EQ(conv[0] + conv[1], t + 2);
    float3 rgb = { 1, 2, 3, };
    EXPECT_EQ(rgb.b, 3.0);
    uint grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, flat[2][3] = { 1, 2, 3, 4, 5, 6 };
    EXPECT_EQ(grid[t & 1][t % 3], flat[t & 1][t % 3]);
}

//--- initialisers-of-arrays-that-are-copied
typedef float3 Tri[3];
Tri make(float x) { Tri r = { float3(x, 0, 0), float3(0, x, 0), float3(0, 0, x) }; return r; }
float3 total(Tri t) { return t[0] + t[1] + t[2]; }
void double_all(inout float3 t[3]) { for (uint i = 0; i < 3; i++) t[i] *= 2; }
struct Holder { Tri tri; uint n[2][2]; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Tri a = make(t);
    Tri b = a;
    b[0].x = 100;
    EXPECT_EQ(total(a), float3(t, t, t));
    EXPECT_EQ(total(b), float3(100, t, t));
    double_all(a);
    EXPECT_EQ(a[2].z, 2.0 * t);
    a = b;
    EXPECT_EQ(a[0], float3(100, 0, 0));
    Holder h;
    h.tri = a;
    uint row[2] = { 3, t };
    h.n[0] = row;
    h.n[1] = h.n[0];
    EXPECT_EQ(h.n[1][1] + h.tri[1].y, 2.0 * t);
    EXPECT_EQ(total(h.tri).x, 100.0);
    EXPECT_EQ(make(3)[1].y, 3.0);
}

//--- initialisers-casts-between-aggregates
struct A { float2 p; uint n; };
struct B { float x, y; uint k; };
struct C { float v[3]; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A a = { 1, 2, t };
    B b = (B)a;
    EXPECT_EQ(b.y, 2.0);
    EXPECT_EQ(b.k, t);
    C c = (C)a;
    EXPECT_EQ(c.v[2], (float)t);
    float3 v = (float3)c;
    EXPECT_EQ(v, float3(1, 2, t));
    C d = (C)v;
    EXPECT_EQ(d.v[1], 2.0);
    float arr[3] = (float[3])v;
    EXPECT_EQ(arr[2], (float)t);
    A zero = (A)0, all = (A)(t + 1);
    EXPECT_EQ(zero.p.x + zero.n + all.p.y + all.n, 2.0 * t + 2);
    float2x2 m = float2x2(1, 2, 3, 4);
    float4 f = (float4)m;
    EXPECT_EQ(f, float4(1, 2, 3, 4));
    float2x2 n = (float2x2)float4(4, 3, 2, 1);
    EXPECT_EQ(n[1], float2(2, 1));
    float3x3 big = float3x3(1, 2, 3, 4, 5, 6, 7, 8, 9);
    EXPECT_EQ(((float2x2)big)[1], float2(4, 5));
    float2 cut = (float2)float4(5, 6, 7, 8);
    EXPECT_EQ(cut, float2(5, 6));
    bool3 bits = (bool3)uint3(0, 2, t);
    EXPECT_EQ(bits.y, true);
    EXPECT_EQ(int(2.9) + int(-2.9) + (int)true, 1);
}

//--- initialisers-vectors-of-one-and-names-of-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float1 a = t;
    float b = a.x + a;
    EXPECT_EQ(b, 2.0 * t);
    float1x1 c = 3;
    EXPECT_EQ(c._m00, 3.0);
    vector<bool, 3> d = bool3(true, false, t > 0);
    EXPECT_EQ(d.z, t > 0);
    matrix<int, 2, 3> m = int2x3(1, 2, 3, 4, 5, 6);
    EXPECT_EQ(m[1][2], 6);
    matrix id = (matrix)0;
    id[3][3] = 1;
    EXPECT_EQ(id._44, 1.0);
    vector v4 = float4(1, 2, 3, 4);
    EXPECT_EQ(v4.w, 4.0);
    unsigned u = 3;
    unsigned int ui = 4;
    dword dw = 5;
    uint32_t2 u2 = uint32_t2(6, t);
    int32_t i32 = -7;
    float32_t f32 = 1.5;
    float64_t f64 = 2.5L;
    EXPECT_EQ(u + ui + dw + u2.x, 18);
    EXPECT_EQ(i32 + f32 + (float)f64, -3.0);
    const vector<uint, 2> k = { 1, t };
    EXPECT_EQ(k.y, t);
}

//--- initialisers-with-the-wrong-count
struct S { uint a, b; };
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float3 v = { 1, 2 }; //~ error[bad-initializer]: `float3` takes 3 values, but the list has 2
    S s = { 1, 2, 3 }; //~ error[bad-initializer]: `S` takes 2 values, but the list has 3
    uint a[2] = { 1 }; //~ error[bad-initializer]: `uint[2]` takes 2 values, but the list has 1
    float2 pairs[] = { 1, 2, 3 }; //~ error[bad-initializer]: 3 values cannot fill elements of 2 each
    float4 c = float4(1, 2, 3); //~ error[bad-initializer]: `float4` has 4 components, but the arguments have 3
}
