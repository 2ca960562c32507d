// Types in unusual places: arrays as results and arguments of templates, bases as places, `auto`.

//--- a-function-that-returns-an-array
uint powers(uint x)[3] {
    uint all[3] = { 1, x, x * x };
    return all;
}
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(powers(lane)[2], lane * lane);
    uint all[3] = powers(3);
    EXPECT_EQ(all[0] + all[1] + all[2], 13);
    EXPECT_EQ(powers(5)[lane % 3], lane % 3 == 0 ? 1 : lane % 3 == 1 ? 5 : 25);
}

//--- a-buffer-of-arrays
//# zero pairs 1024
RWStructuredBuffer<uint[2]> pairs : register(u0);
template<typename T> struct Held { T value; };
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    pairs[lane][0] = lane;
    pairs[lane][1] = lane * 2;
    Held<float[3]> held;
    held.value[lane % 3] = lane;
    EXPECT_EQ(pairs[lane][0] + pairs[lane][1], lane * 3);
    EXPECT_EQ(held.value[lane % 3], lane);
}

//--- the-inherited-part-is-a-place
struct Base { int a; int b; };
struct Derived : Base { int c; };
groupshared Derived shared_one[WIDTH];
void reset(inout Base it) { it.a = -it.a; it.b = 5; }
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Derived d = { int(lane), 2, 3 };
    reset((Base)d);
    EXPECT_EQ(d.a, -int(lane));
    EXPECT_EQ(d.b, 5);
    EXPECT_EQ(d.c, 3);
    Base other = { 8, 9 };
    (Base)d = other;
    EXPECT_EQ(d.a * 100 + d.b * 10 + d.c, 893);
    shared_one[lane] = d;
    reset((Base)shared_one[lane]);
    EXPECT_EQ(shared_one[lane].a, -8);
    EXPECT_EQ(shared_one[lane].c, 3);
}

//--- an-array-of-resources-of-any-size
//# in tables[0] u32: 10 11
//# in tables[1] u32: 20 21
StructuredBuffer<uint> tables[2] : register(t0);
uint look(StructuredBuffer<uint> from[], uint which, uint at) { return from[which][at]; }
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(look(tables, 0, lane & 1), 10 + (lane & 1));
    EXPECT_EQ(look(tables, 1, lane & 1), 20 + (lane & 1));
}

//--- a-bit-field-of-no-bits-ends-the-unit
struct Packed { uint a : 4; uint : 0; uint b : 4; };
struct Dense { uint a : 4; uint b : 4; };
//# zero words 2048
RWByteAddressBuffer words : register(u0);
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    EXPECT_EQ(sizeof(Packed), 8);
    EXPECT_EQ(sizeof(Dense), 4);
    Packed p = { lane & 15, 9 };
    words.Store<Packed>(lane * 8, p);
    EXPECT_EQ(words.Load(lane * 8) & 15, lane & 15);
    EXPECT_EQ(words.Load(lane * 8 + 4) & 15, 9);
}

//--- auto-takes-the-type-of-the-value
//# args -HV 202x
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    auto whole = lane / 2;
    auto half_of_it = lane * 0.5;
    const auto pair = uint2(lane, 1);
    EXPECT_EQ(whole, lane >> 1);
    EXPECT_EQ(half_of_it * 2, lane);
    EXPECT_EQ(pair.x + pair.y, lane + 1);
    EXPECT_EQ(sizeof(whole), 4);
}

//--- auto-needs-a-value
//# args -HV 202x
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    auto nothing; //~ error[bad-declaration]: `nothing` is `auto` but has no initialiser
}

//--- auto-is-a-word-of-202x
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    auto x = lane; //~ error[unknown-name]: HLSL has no `auto`
}

//--- half-and-float-are-two-types-for-overloads
uint which(float x) { return 1; }
uint which(half x) { return 2; }
uint which(double x) { return 3; }
uint only(double x) { return 3; }
uint only(float x) { return 1; }
template<typename T> uint size_of(T x) { return sizeof(T); }
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    half h = lane;
    float f = lane;
    EXPECT_EQ(which(h), 2);
    EXPECT_EQ(which(f), 1);
    EXPECT_EQ(which(1.5), 1);
    EXPECT_EQ(which(1.5h), 2);
    EXPECT_EQ(which(h + f), 1);
    EXPECT_EQ(which(h * h), 2);
    EXPECT_EQ(which(sqrt(h)), 2);
    // In every other respect it is a `float`, with the same precision.
    EXPECT_EQ(only(h), 1);
    EXPECT_EQ(size_of(h), 4);
    half third = 1.0f / 3;
    EXPECT_EQ(asuint(third), asuint(1.0f / 3));
    EXPECT_EQ(WaveActiveSum(h), WaveActiveSum(f));
}

//--- a-variable-is-seen-in-its-own-initialiser
uint twice(inout uint x) { x = 4; return x * 2; }
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    uint n = 3;
    {
        uint n = twice(n);
        EXPECT_EQ(n, 8);
    }
    // The outer variable is unaffected.
    EXPECT_EQ(n, 3);
}

//--- auto-does-not-see-itself
//# args -HV 202x
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    auto x = x; //~ error[unknown-name]: `x`
    uint y = x;
}
