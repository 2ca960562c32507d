// Differences between versions of the language.

//--- versions-2018-evaluates-both-sides
//# args -HV 2018 -Wno-version-dependent-arm
static uint calls;
bool yes() { calls++; return true; }
bool no() { calls++; return false; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool a = no() && yes();
    EXPECT(calls == 2 && !a);
    bool b = yes() || no();
    EXPECT(calls == 4 && b);
    uint c = t < 2 ? (yes() ? 1u : 0u) : (no() ? 1u : 0u);
    EXPECT(calls == 6);
    EXPECT(c == (t < 2 ? 1 : 0));
    uint sum = t < 2 ? WaveActiveSum(1u) : 0;
    EXPECT(sum == (t < 2 ? WIDTH : 0));
}

//--- versions-2021-evaluates-one-side
//# args -HV 2021 -Wno-version-dependent-arm
static uint calls;
bool yes() { calls++; return true; }
bool no() { calls++; return false; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool a = no() && yes();
    EXPECT(calls == 1 && !a);
    bool b = yes() || no();
    EXPECT(calls == 2 && b);
    uint c = t < 2 ? (yes() ? 1u : 0u) : (no() ? 1u : 0u);
    EXPECT(calls == 3);
    uint sum = t < 2 ? WaveActiveSum(1u) : 0;
    EXPECT_EQ(sum, t < 2 ? 2 : 0);
}

//--- versions-2018-has-conditions-of-vectors
//# args -HV 2018
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool3 c = bool3(true, false, t > 0);
    float3 v = c ? float3(1, 2, 3) : float3(4, 5, 6);
    EXPECT(all(v == float3(1, 5, t > 0 ? 3 : 6)));
    bool3 d = c && bool3(true, true, false);
    EXPECT(d.x && !d.y && !d.z);
    bool3 e = c || true;
    EXPECT(all(e));
    float2 w = (t & 1) ? float2(1, 2) : 3;
    EXPECT(w.y == ((t & 1) ? 2 : 3));
}

//--- versions-2021-has-conditions-of-scalars
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool3 c = bool3(true, false, t > 0);
    float3 v = c ? float3(1, 2, 3) : float3(4, 5, 6); //~ error[vector-condition]: the condition of `?:` must be a single `bool` in HLSL 2021, not `bool3`
    bool3 d = c && bool3(true, true, false); //~ error[vector-condition]: `&&` takes a single `bool` in HLSL 2021, not `bool3`
    if (c) {} //~ error[vector-condition]: the condition of `if` must be a single `bool`, not `bool3`
    while (c) {} //~ error[vector-condition]: the condition of `while` must be a single `bool`, not `bool3`
    bool3 fine = and(c, select(c, c, !c));
}

//--- versions-2018-has-no-templates-or-using
//# args -HV 2018
struct B { uint a : 4; }; //~ error[needs-hlsl-2021]: bit-fields require HLSL 2021
template <typename T> struct S { T v; }; //~ error[needs-hlsl-2021]: templates require HLSL 2021

[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {}

//--- versions-2017-has-enums
//# args -HV 2017
enum E { A, B = 3 };
enum class F { C = 2 };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    E e = B;
    EXPECT(e == 3 && (int)F::C == 2);
}

//--- versions-2016-knows-the-words-as-names
//# args -HV 2016
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float half3x = 1.5;
    EXPECT(t < 128 && half3x == 1.5 && __HLSL_VERSION == 2016);
}

//--- versions-say-which-they-are
//# args -HV 2017
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) { EXPECT(__HLSL_VERSION == 2017); }

//--- versions-202x-gives-literals-plain-types
//# args -HV 202x
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int overflow = 2147483647 + 1;
    EXPECT_EQ(overflow, -2147483648);
    EXPECT_EQ(1 / 2 * 2.0, 0.0);
    EXPECT_EQ(0xffffffff, 4294967295u);
    EXPECT(0.1 + 0.2 == 0.1f + 0.2f);
}

//--- versions-strict-struct-casts
struct A { float x; };
struct B { float x; };
float take(A a) { return a.x; }
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A a = { t };
    B b = a; //~ error[type-mismatch]: `A` does not convert to `B`
    float f = take(b); //~ error[no-matching-function]: this is `B`
    B c = (B)a;
}

//--- versions-2018-converts-structs-of-one-shape
//# args -HV 2018
struct A { float x; uint2 n; };
struct B { float x; uint2 n; };
float take(A a) { return a.x + a.n.y; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A a = { t, 1, 2 };
    B b = a;
    b = a;
    EXPECT(b.x == t && b.n.y == 2);
    EXPECT(take(b) == t + 2);
}

//--- removed-in-202x
//# args -HV 202x -Wno-initializer-ignored
interface I { uint f(); }; //~ error[bad-declaration]: HLSL 202x no longer has interfaces
cbuffer C { uint a = 3; } //~ error[bad-declaration]: HLSL 202x no longer has initialisers for variables that the host sets
[numthreads(4, 1, 1)]
void main(uniform uint t : SV_GroupIndex) {} //~ error[bad-declaration]: HLSL 202x no longer has `uniform` variables
