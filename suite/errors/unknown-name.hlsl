// Names must be declared before they are used.

//--- a-function-by-a-slip-of-the-pen
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = WaveActiveSmu(t); //~ error[unknown-name]: WaveActiveSmu
}
//| FILE:4:14: error: there is no function `WaveActiveSmu` [unknown-name]
//|   |
//| 4 |     uint x = WaveActiveSmu(t);
//|   |              ^^^^^^^^^^^^^
//|   |
//|   = help: a similar name is `WaveActiveSum`
//|   |
//| 4 -     uint x = WaveActiveSmu(t);
//| 4 +     uint x = WaveActiveSum(t);

//--- a-type-that-is-not-there
static flaot x; //~ error[unknown-name]: there is no type `flaot`
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:8: error: there is no type `flaot` [unknown-name]
//|   |
//| 2 | static flaot x;
//|   |        ^^^^^
//|   |
//|   = help: a similar name is `float`
//|   |
//| 2 - static flaot x;
//| 2 + static float x;

//--- a-member-that-a-struct-lacks
struct S { uint count; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    S s;
    s.cuont = t; //~ error[unknown-name]: has no member
}
//| FILE:6:7: error: `S` has no member `cuont` [unknown-name]
//|   |
//| 2 | struct S { uint count; };
//|   |        - `S` is declared here
//| ...
//| 6 |     s.cuont = t;
//|   |       ^^^^^
//|   |
//|   = help: a similar name is `count`
//|   |
//| 6 -     s.cuont = t;
//| 6 +     s.count = t;

//--- a-function-that-is-declared-below
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    later(); //~ error[unknown-name]: later
}
void later() {}
//| FILE:4:5: error: there is no function `later` [unknown-name]
//|   |
//| 4 |     later();
//|   |     ^^^^^
//| 5 | }
//| 6 | void later() {}
//|   |      ----- declared only here
//|   |
//|   = help: move it above its first use, or declare a prototype there

//--- a-method-of-a-local-struct-that-names-a-local-of-the-function
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint secret = 42;
    struct S {
        uint a;
        uint get() { return secret; } //~ error[unknown-name]: reference to local variable `secret` declared in enclosing function `main`
    };
    S s;
    s.a = 5;
    s.get();
}
//| FILE:7:29: error: reference to local variable `secret` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     uint secret = 42;
//|   |          ------ `secret` is declared here
//| ...
//| 7 |         uint get() { return secret; }
//|   |                             ^^^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-method-of-a-local-struct-that-names-a-parameter
uint f(uint given) {
    struct S {
        uint a;
        uint get() { uint mine = 1; return mine + given; } //~ error[unknown-name]: local variable `given` declared in enclosing function `f`
    };
    S s;
    s.a = 1;
    return s.get();
}
[numthreads(WIDTH, 1, 1)] void main(uint t : SV_GroupIndex) { f(t); }
//| FILE:5:51: error: reference to local variable `given` declared in enclosing function `f` [unknown-name]
//|   |
//| 2 | uint f(uint given) {
//|   |             ----- `given` is declared here
//| ...
//| 5 |         uint get() { uint mine = 1; return mine + given; }
//|   |                                                   ^^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-method-that-writes-a-local-of-the-function
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint2 total = 0;
    struct S {
        void add(uint2 x) { total.x += x.y; } //~ error[unknown-name]: local variable `total`
    };
    S s;
    s.add(t);
}
//| FILE:6:29: error: reference to local variable `total` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     uint2 total = 0;
//|   |           ----- `total` is declared here
//| 5 |     struct S {
//| 6 |         void add(uint2 x) { total.x += x.y; }
//|   |                             ^^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- an-operator-of-a-local-struct-that-names-a-local-of-the-function
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint bias = t;
    struct S {
        uint a;
        S operator+(S other) { S sum; sum.a = a + other.a + bias; return sum; } //~ error[unknown-name]: local variable `bias`
        uint operator[](uint i) { return i + bias; } //~ error[unknown-name]: local variable `bias`
    };
    S s;
    s.a = 1;
    uint x = (s + s).a + s[t];
}
//| FILE:7:61: error: reference to local variable `bias` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     uint bias = t;
//|   |          ---- `bias` is declared here
//| ...
//| 7 |         S operator+(S other) { S sum; sum.a = a + other.a + bias; return sum; }
//|   |                                                             ^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`
//|
//| FILE:8:46: error: reference to local variable `bias` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     uint bias = t;
//|   |          ---- `bias` is declared here
//| ...
//| 8 |         uint operator[](uint i) { return i + bias; }
//|   |                                              ^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-struct-in-a-local-struct-that-names-a-local-of-the-function
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint secret = 42;
    struct Outer {
        struct Inner {
            uint a;
            uint get() { return secret + a; } //~ error[unknown-name]: local variable `secret`
        };
        Inner inner;
        uint get() {
            struct Innermost { uint get() { return secret; } }; //~ error[unknown-name]: local variable `secret`
            Innermost it;
            return it.get();
        }
    };
    Outer o = (Outer)0;
    uint x = o.inner.get() + o.get();
}
//| FILE:8:33: error: reference to local variable `secret` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     uint secret = 42;
//|   |          ------ `secret` is declared here
//| ...
//| 8 |             uint get() { return secret + a; }
//|   |                                 ^^^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`
//|
//| FILE:12:52: error: reference to local variable `secret` declared in enclosing function `main` [unknown-name]
//|    |
//|  4 |     uint secret = 42;
//|    |          ------ `secret` is declared here
//| ...
//| 12 |             struct Innermost { uint get() { return secret; } };
//|    |                                                    ^^^^^^
//|    |
//|    = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-local-that-hides-a-global-from-a-method
static uint secret = 3;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint secret = 42;
    struct S {
        // As in C++, the name denotes the local, which is out of reach here.
        uint get() { return secret; } //~ error[unknown-name]: local variable `secret`
        uint global() { return ::secret; }
    };
    S s;
    uint x = s.get() + s.global();
}
//| FILE:8:29: error: reference to local variable `secret` declared in enclosing function `main` [unknown-name]
//|   |
//| 5 |     uint secret = 42;
//|   |          ------ `secret` is declared here
//| ...
//| 8 |         uint get() { return secret; }
//|   |                             ^^^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-constant-vector-of-the-function-has-no-value-for-a-method
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    const uint2 pair = uint2(1, 2);
    const uint late = t;
    struct S {
        uint get() { return pair.x; } //~ error[unknown-name]: local variable `pair`
        uint more() { return late; } //~ error[unknown-name]: local variable `late`
    };
    S s;
    uint x = s.get() + s.more();
}
//| FILE:7:29: error: reference to local variable `pair` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     const uint2 pair = uint2(1, 2);
//|   |                 ---- `pair` is declared here
//| ...
//| 7 |         uint get() { return pair.x; }
//|   |                             ^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`
//|
//| FILE:8:30: error: reference to local variable `late` declared in enclosing function `main` [unknown-name]
//|   |
//| 5 |     const uint late = t;
//|   |                ---- `late` is declared here
//| ...
//| 8 |         uint more() { return late; }
//|   |                              ^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-default-argument-that-names-a-local-of-the-function
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint secret = 42;
    struct S {
        uint get(uint x = secret) { return x; } //~ error[unknown-name]: local variable `secret`
    };
    S s;
    s.get();
}
//| FILE:6:27: error: reference to local variable `secret` declared in enclosing function `main` [unknown-name]
//|   |
//| 4 |     uint secret = 42;
//|   |          ------ `secret` is declared here
//| 5 |     struct S {
//| 6 |         uint get(uint x = secret) { return x; }
//|   |                           ^^^^^^
//|   |
//|   = help: pass it as an argument, keep it in a field, or make it a constant with `static const`

//--- a-default-argument-that-names-a-field
struct S {
    uint a;
    uint get(uint x = a) { return x; } //~ error[unknown-name]: `a` is a field, but there is no object here
};
struct T : S {
    uint of(S other) { return other.get(); }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    T it = (T)t;
    it.of((S)1);
}
//| FILE:4:23: error: `a` is a field, but there is no object here [unknown-name]
//|   |
//| 4 |     uint get(uint x = a) { return x; }
//|   |                       ^

//--- wave-functions-of-other-languages
RWStructuredBuffer<uint> Buffer;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = WaveInclusiveSum(t); //~ error[unknown-name]: WaveInclusiveSum
    sum += sub_group_reduce_add(t); //~ error[unknown-name]: sub_group_reduce_add
    sum += __shfl_sync(0xffffffff, t, 0); //~ error[unknown-name]: __shfl_sync
    sum += NvShfl(t, 0, 32); //~ error[unknown-name]: NvShfl
    sum += AmdDxExtShaderIntrinsics_ReadfirstlaneU(t); //~ error[unknown-name]: ReadfirstlaneU
    Buffer[t] = sum;
}
//| FILE:5:16: error: there is no function `WaveInclusiveSum` [unknown-name]
//|   |
//| 5 |     uint sum = WaveInclusiveSum(t);
//|   |                ^^^^^^^^^^^^^^^^
//|   |
//|   = help: in HLSL, it is `WavePrefixSum(x) + x`
//|
//| FILE:6:12: error: there is no function `sub_group_reduce_add` [unknown-name]
//|   |
//| 6 |     sum += sub_group_reduce_add(t);
//|   |            ^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `sub_group_reduce_add` is OpenCL; in HLSL, it is `WaveActiveSum`
//|   |
//| 6 -     sum += sub_group_reduce_add(t);
//| 6 +     sum += WaveActiveSum(t);
//|
//| FILE:7:12: error: there is no function `__shfl_sync` [unknown-name]
//|   |
//| 7 |     sum += __shfl_sync(0xffffffff, t, 0);
//|   |            ^^^^^^^^^^^
//|   |
//|   = help: `__shfl_sync` is CUDA; in HLSL, it is `WaveReadLaneAt(x, lane)`; the mask is left out: the lanes are always the active ones
//|
//| FILE:8:12: error: there is no function `NvShfl` [unknown-name]
//|   |
//| 8 |     sum += NvShfl(t, 0, 32);
//|   |            ^^^^^^
//|   |
//|   = help: `NvShfl` is NVAPI; in HLSL, it is `WaveReadLaneAt(x, lane)`; the set of lanes is that of the active ones
//|
//| FILE:9:12: error: there is no function `AmdDxExtShaderIntrinsics_ReadfirstlaneU` [unknown-name]
//|   |
//| 9 |     sum += AmdDxExtShaderIntrinsics_ReadfirstlaneU(t);
//|   |            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `AmdDxExtShaderIntrinsics_ReadfirstlaneU` is AGS; in HLSL, it is `WaveReadLaneFirst`
//|   |
//| 9 -     sum += AmdDxExtShaderIntrinsics_ReadfirstlaneU(t);
//| 9 +     sum += WaveReadLaneFirst(t);

//--- sampling-of-shader-model-3
sampler s;
RWStructuredBuffer<float4> Buffer;
float4 unused() { return tex2D(s, float2(0, 0)); }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Buffer[t] = tex2D(s, float2(0, 0)); //~ error[unknown-name]: there is no function `tex2D` in shader model 6
}
//| FILE:7:17: error: there is no function `tex2D` in shader model 6 [unknown-name]
//|   |
//| 7 |     Buffer[t] = tex2D(s, float2(0, 0));
//|   |                 ^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: `tex2D` is from shader model 3; in HLSL, textures and samplers are two objects: `Texture2D image; SamplerState smp;` and `image.Sample(smp, uv)`, `SampleBias`, `SampleGrad`, `SampleLevel`

//--- samples-of-a-texture-with-one-for-each-texel
RWTexture2D<uint> image;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    image.sample[0][uint2(t, 0)] = 1; //~ error[unknown-name]: `RWTexture2D<uint>` has no member `sample`
}
//| FILE:5:11: error: `RWTexture2D<uint>` has no member `sample` [unknown-name]
//|   |
//| 5 |     image.sample[0][uint2(t, 0)] = 1;
//|   |     ----- ^^^^^^
//|   |     |
//|   |     this is `RWTexture2D<uint>`

//--- a-letter-for-a-component-of-a-long-vector
//# args -T cs_6_9
RWStructuredBuffer<uint> Buffer;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    vector<uint, 8> v = t;
    v.x = 1; //~ error[unknown-name]: the components of a `vector<uint, 8>` have no names
    Buffer[t] = dot(v.xy, 1); //~ error[unknown-name]: the components of a `vector<uint, 8>` have no names
}
//| FILE:7:7: error: the components of a `vector<uint, 8>` have no names [unknown-name]
//|   |
//| 7 |     v.x = 1;
//|   |       ^
//|   |
//|   = help: name it by its index: `[0]`
//|
//| FILE:8:23: error: the components of a `vector<uint, 8>` have no names [unknown-name]
//|   |
//| 8 |     Buffer[t] = dot(v.xy, 1);
//|   |                       ^^
//|   |
//|   = help: name each by its index, such as `[0]`

//--- the-namespace-of-the-language-before-202x
//# args -HV 2021
using namespace hlsl; //~ error[unknown-name]: HLSL has a namespace `hlsl` only from version 202x on
RWStructuredBuffer<hlsl::uint> Buffer; //~ error[unknown-name]: HLSL has a namespace `hlsl` only from version 202x on
[numthreads(WIDTH, 1, 1)]
void main(hlsl::uint t : SV_GroupIndex) { //~ error[unknown-name]: HLSL has a namespace `hlsl` only from version 202x on
    Buffer[t] = hlsl::min(t, 3u); //~ error[unknown-name]: HLSL has a namespace `hlsl` only from version 202x on
}
//| FILE:3:17: error: HLSL has a namespace `hlsl` only from version 202x on [unknown-name]
//|   |
//| 3 | using namespace hlsl;
//|   |                 ^^^^
//|   |
//|   = help: leave it out, or compile with `-HV 202x`
//|
//| FILE:4:20: error: HLSL has a namespace `hlsl` only from version 202x on [unknown-name]
//|   |
//| 4 | RWStructuredBuffer<hlsl::uint> Buffer;
//|   |                    ^^^^^^
//|   |
//|   = help: leave it out, or compile with `-HV 202x`
//|   |
//| 4 - RWStructuredBuffer<hlsl::uint> Buffer;
//| 4 + RWStructuredBuffer<uint> Buffer;
//|
//| FILE:6:11: error: HLSL has a namespace `hlsl` only from version 202x on [unknown-name]
//|   |
//| 6 | void main(hlsl::uint t : SV_GroupIndex) {
//|   |           ^^^^^^
//|   |
//|   = help: leave it out, or compile with `-HV 202x`
//|   |
//| 6 - void main(hlsl::uint t : SV_GroupIndex) {
//| 6 + void main(uint t : SV_GroupIndex) {
//|
//| FILE:7:17: error: HLSL has a namespace `hlsl` only from version 202x on [unknown-name]
//|   |
//| 7 |     Buffer[t] = hlsl::min(t, 3u);
//|   |                 ^^^^^^
//|   |
//|   = help: leave it out, or compile with `-HV 202x`
//|   |
//| 7 -     Buffer[t] = hlsl::min(t, 3u);
//| 7 +     Buffer[t] = min(t, 3u);

//--- names-that-the-language-does-not-declare
//# args -HV 202x
RWStructuredBuffer<uint> Buffer;
uint mine(uint x) { return x; }
hlsl::Nothing nothing; //~ error[unknown-name]: there is no type `Nothing` in `hlsl`
using hlsl::mine; //~ error[unknown-name]: there is no name `mine` in `hlsl`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Buffer[t] = hlsl::mine(t); //~ error[unknown-name]: there is no function `mine` in `hlsl`
    Buffer[t] = hlsl::t; //~ error[unknown-name]: there is no variable `t` in `hlsl`
    Buffer[t] = hlsl::inner::f(t); //~ error[unknown-name]: there is no namespace, struct or enum `inner` in `hlsl`
}
//| FILE:5:7: error: there is no type `Nothing` in `hlsl` [unknown-name]
//|   |
//| 5 | hlsl::Nothing nothing;
//|   |       ^^^^^^^
//|
//| FILE:6:13: error: there is no name `mine` in `hlsl` [unknown-name]
//|   |
//| 4 | uint mine(uint x) { return x; }
//|   |      ---- declared here
//| 5 | hlsl::Nothing nothing;
//| 6 | using hlsl::mine;
//|   |             ^^^^
//|   |
//|   = help: `hlsl` holds what the language declares; a name of the file needs no qualifier
//|
//| FILE:9:23: error: there is no function `mine` in `hlsl` [unknown-name]
//|   |
//| 4 | uint mine(uint x) { return x; }
//|   |      ---- declared here
//| ...
//| 9 |     Buffer[t] = hlsl::mine(t);
//|   |                       ^^^^
//|   |
//|   = help: `hlsl` holds what the language declares; a name of the file needs no qualifier
//|
//| FILE:10:23: error: there is no variable `t` in `hlsl` [unknown-name]
//|    |
//| 10 |     Buffer[t] = hlsl::t;
//|    |                       ^
//|
//| FILE:11:23: error: there is no namespace, struct or enum `inner` in `hlsl` [unknown-name]
//|    |
//| 11 |     Buffer[t] = hlsl::inner::f(t);
//|    |                       ^^^^^

//--- names-that-are-only-proposed
RWStructuredBuffer<uint> Buffer;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint8_t4 small = 1; //~ error[unknown-name]: there is no type `uint8_t4`
    Buffer[t] = ClusterID(); //~ error[unknown-name]: there is no function `ClusterID`
    Buffer[t] = alignof(t); //~ error[unknown-name]: there is no function `alignof`
    Buffer[t] = nullptr; //~ error[unknown-name]: there is no variable `nullptr`
}
//| FILE:5:5: error: there is no type `uint8_t4` [unknown-name]
//|   |
//| 5 |     uint8_t4 small = 1;
//|   |     ^^^^^^^^
//|   |
//|   = help: `uint8_t4` is only proposed for HLSL; in HLSL, the smallest integers are `uint16_t` and `int16_t`, with `-enable-16bit-types`; `uint8_t4_packed` and `pack_u8` hold four small ones in a word
//|
//| FILE:6:17: error: there is no function `ClusterID` [unknown-name]
//|   |
//| 6 |     Buffer[t] = ClusterID();
//|   |                 ^^^^^^^^^
//|   |
//|   = help: `ClusterID` is only proposed for HLSL; in HLSL, clusters of geometry are not supported yet: `PrimitiveIndex()` and `GeometryIndex()` identify what was hit
//|
//| FILE:7:17: error: there is no function `alignof` [unknown-name]
//|   |
//| 7 |     Buffer[t] = alignof(t);
//|   |                 ^^^^^^^
//|   |
//|   = help: `alignof` is C++; in HLSL, there is none; `sizeof` gives the size of a type
//|
//| FILE:8:17: error: there is no variable `nullptr` [unknown-name]
//|   |
//| 8 |     Buffer[t] = nullptr;
//|   |                 ^^^^^^^
//|   |
//|   = help: `nullptr` is C++; in HLSL, there are no pointers: pass an index into a buffer

//--- a-size-that-no-vector-and-no-matrix-has
static float4x5 wide; //~ error[unknown-name]: there is no type `float4x5`
static uint5 long_; //~ error[unknown-name]: there is no type `uint5`
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:8: error: there is no type `float4x5` [unknown-name]
//|   |
//| 2 | static float4x5 wide;
//|   |        ^^^^^^^^
//|   |
//|   = help: vectors have 1 to 4 components, and matrices 1 to 4 rows and columns: `float4x4`
//|
//| FILE:3:8: error: there is no type `uint5` [unknown-name]
//|   |
//| 3 | static uint5 long_;
//|   |        ^^^^^
//|   |
//|   = help: vectors have 1 to 4 components, and matrices 1 to 4 rows and columns: `float4x4`
