// A missing token is reported right after the last valid one.

//--- a-missing-semicolon
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    uint sum = WaveActiveSum(i) //~ error[syntax]: expected
    uint twice = sum * 2;
}
//| FILE:4:32: error: expected `;` after this declaration [syntax]
//|   |
//| 4 |     uint sum = WaveActiveSum(i)
//|   |                                ^
//|   |
//|   = help: add the `;`
//|   |
//| 4 -     uint sum = WaveActiveSum(i)
//| 4 +     uint sum = WaveActiveSum(i);

//--- no-semicolon-before-an-attribute
RWStructuredBuffer<uint> Buffer //~ error[syntax]: expected `;` after this declaration
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) { Buffer[t] = t; }
//| FILE:2:32: error: expected `;` after this declaration [syntax]
//|   |
//| 2 | RWStructuredBuffer<uint> Buffer
//|   |                                ^
//|   |
//|   = help: add the `;`
//|   |
//| 2 - RWStructuredBuffer<uint> Buffer
//| 2 + RWStructuredBuffer<uint> Buffer;

//--- no-semicolon-before-an-attribute-of-a-loop
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint sum = t //~ error[syntax]: expected `;` after this declaration
    [unroll] for (uint k = 0; k < 4; k++) sum += k;
}
//| FILE:4:17: error: expected `;` after this declaration [syntax]
//|   |
//| 4 |     uint sum = t
//|   |                 ^
//|   |
//|   = help: add the `;`
//|   |
//| 4 -     uint sum = t
//| 4 +     uint sum = t;

//--- an-index-on-a-line-of-its-own
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint loop = 1, all[2] = { 3, 4 };
    EXPECT_EQ(all
        [loop + 0], 4);
}

//--- there-are-no-pointers
void f(uint* p) {} //~ error[syntax]: HLSL has no pointers
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    f(&t); //~ error[syntax]: HLSL has no references and no addresses
}
//| FILE:2:12: error: HLSL has no pointers [syntax]
//|   |
//| 2 | void f(uint* p) {}
//|   |            ^
//|   |
//|   = help: pass an index into a buffer, or use an `inout` parameter
//|
//| FILE:5:7: error: HLSL has no references and no addresses [syntax]
//|   |
//| 5 |     f(&t);
//|   |       ^
//|   |
//|   = help: an `out` or `inout` parameter passes a variable: `void f(inout uint x)`

//--- an-effect-file
[numthreads(WIDTH, 1, 1)] void main() {}
technique11 T { pass P { SetComputeShader(CompileShader(cs_5_0, main())); } } //~ error[syntax]: belongs to effect files
//| FILE:3:1: error: `technique11` belongs to effect files; HLSL 6 has none [syntax]
//|   |
//| 3 | technique11 T { pass P { SetComputeShader(CompileShader(cs_5_0, main())); } }
//|   | ^^^^^^^^^^^
//|   |
//|   = help: remove the block: `-E` names the entry point, and `-T` its stage

//--- a-file-in-wgsl
@group(0) @binding(0) var<storage, read_write> data: array<u32>; //~ error[syntax]: this looks like WGSL
@compute @workgroup_size(64) fn main() {}
//| FILE:2:1: error: this looks like WGSL; wavelane reads HLSL [syntax]
//|   |
//| 2 | @group(0) @binding(0) var<storage, read_write> data: array<u32>;
//|   | ^

//--- words-of-cpp-that-hlsl-does-not-have
constexpr uint Count = 3; //~ error[syntax]: HLSL has no `constexpr`
constexpr uint twice(uint x) { return 2 * x; } //~ error[syntax]: HLSL has no `constexpr`
consteval uint thrice(uint x) { return 3 * x; } //~ error[syntax]: HLSL has no `consteval`
template<typename T> concept Any = true; //~ error[syntax]: HLSL has no concepts
template<typename T> requires Any<T> T same(T x) { return x; } //~ error[syntax]: HLSL has no concepts
import lighting; //~ error[syntax]: HLSL has no modules
alignas(16) struct Wide { uint a; }; //~ error[syntax]: HLSL has no `alignas`
void calm() noexcept; //~ error[syntax]: HLSL has no exceptions
void change(ref uint x) { x = 1; } //~ error[syntax]: HLSL has no references
void take(uint&& x) {} //~ error[syntax]: HLSL has no references
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    constexpr uint local = 3; //~ error[syntax]: HLSL has no `constexpr`
    decltype(t) other = t; //~ error[syntax]: HLSL has no `decltype`
    if constexpr (true) other = 1; //~ error[syntax]: HLSL has no `constexpr`
}
//| FILE:2:1: error: HLSL has no `constexpr` [syntax]
//|   |
//| 2 | constexpr uint Count = 3;
//|   | ^^^^^^^^^
//|   |
//|   = help: a constant is `static const`; a function needs no such word
//|
//| FILE:3:1: error: HLSL has no `constexpr` [syntax]
//|   |
//| 3 | constexpr uint twice(uint x) { return 2 * x; }
//|   | ^^^^^^^^^
//|   |
//|   = help: a constant is `static const`; a function needs no such word
//|
//| FILE:4:1: error: HLSL has no `consteval` [syntax]
//|   |
//| 4 | consteval uint thrice(uint x) { return 3 * x; }
//|   | ^^^^^^^^^
//|   |
//|   = help: calls with constant arguments are computed at compile time anyway
//|
//| FILE:5:22: error: HLSL has no concepts [syntax]
//|   |
//| 5 | template<typename T> concept Any = true;
//|   |                      ^^^^^^^
//|   |
//|   = help: overloads, or a `static_assert` in the template, restrict its arguments
//|
//| FILE:6:22: error: HLSL has no concepts [syntax]
//|   |
//| 6 | template<typename T> requires Any<T> T same(T x) { return x; }
//|   |                      ^^^^^^^^
//|   |
//|   = help: overloads, or a `static_assert` in the template, restrict its arguments
//|
//| FILE:7:1: error: HLSL has no modules [syntax]
//|   |
//| 7 | import lighting;
//|   | ^^^^^^
//|   |
//|   = help: `#include` reads another file
//|
//| FILE:8:1: error: HLSL has no `alignas` [syntax]
//|   |
//| 8 | alignas(16) struct Wide { uint a; };
//|   | ^^^^^^^
//|   |
//|   = help: `packoffset`, or members that fill the gaps, place the members of a constant buffer
//|
//| FILE:9:13: error: HLSL has no exceptions [syntax]
//|   |
//| 9 | void calm() noexcept;
//|   |             ^^^^^^^^
//|   |
//|   = help: leave the word out
//|
//| FILE:10:13: error: HLSL has no references [syntax]
//|    |
//| 10 | void change(ref uint x) { x = 1; }
//|    |             ^^^
//|    |
//|    = help: an `out` or `inout` parameter passes a variable: `void f(inout uint x)`
//|
//| FILE:11:15: error: HLSL has no references [syntax]
//|    |
//| 11 | void take(uint&& x) {}
//|    |               ^^
//|    |
//|    = help: an `out` or `inout` parameter passes a variable: `void f(inout uint x)`
//|
//| FILE:14:5: error: HLSL has no `constexpr` [syntax]
//|    |
//| 14 |     constexpr uint local = 3;
//|    |     ^^^^^^^^^
//|    |
//|    = help: a constant is `static const`; a function needs no such word
//|
//| FILE:15:5: error: HLSL has no `decltype` [syntax]
//|    |
//| 15 |     decltype(t) other = t;
//|    |     ^^^^^^^^
//|    |
//|    = help: write the type, or use `auto` for a local variable with `-HV 202x`
//|
//| FILE:16:8: error: HLSL has no `constexpr` [syntax]
//|    |
//| 16 |     if constexpr (true) other = 1;
//|    |        ^^^^^^^^^
//|    |
//|    = help: a constant is `static const`; a function needs no such word

//--- forms-of-cpp-that-hlsl-does-not-have
struct Point {
    uint x;
    Point(uint a) { x = a; } //~ error[syntax]: HLSL has no constructors
    ~Point() {} //~ error[syntax]: HLSL has no destructors
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    auto square = [](uint x) { return x * x; }; //~ error[syntax]: HLSL has no lambdas
    auto [a, b] = uint2(1, 2); //~ error[syntax]: HLSL has no structured bindings
    uint2 v{1, 2}; //~ error[syntax]: HLSL has no initialisers without `=`
    uint all[3] = { 1, 2, 3 };
    for (uint x : all) t += x; //~ error[syntax]: HLSL has no `for` over the elements of an array
    uint large = 1'000'000; //~ error[syntax]: HLSL has no `'` between digits
    int order = t <=> 2; //~ error[syntax]: HLSL has no `<=>`
}
//| FILE:4:10: error: HLSL has no constructors [syntax]
//|   |
//| 4 |     Point(uint a) { x = a; }
//|   |          ^
//|   |
//|   = help: initialise the members with `{ … }`, or write a function that returns the struct
//|
//| FILE:5:5: error: HLSL has no destructors [syntax]
//|   |
//| 5 |     ~Point() {}
//|   |     ^
//|   |
//|   = help: nothing happens at the end of a variable's life
//|
//| FILE:9:19: error: HLSL has no lambdas [syntax]
//|   |
//| 9 |     auto square = [](uint x) { return x * x; };
//|   |                   ^
//|   |
//|   = help: write a function, and pass it what it needs
//|
//| FILE:10:10: error: HLSL has no structured bindings [syntax]
//|    |
//| 10 |     auto [a, b] = uint2(1, 2);
//|    |          ^
//|    |
//|    = help: declare a variable for each part
//|
//| FILE:11:12: error: HLSL has no initialisers without `=` [syntax]
//|    |
//| 11 |     uint2 v{1, 2};
//|    |            ^
//|    |
//|    = help: write `= { … }`
//|
//| FILE:13:22: error: HLSL has no `for` over the elements of an array [syntax]
//|    |
//| 13 |     for (uint x : all) t += x;
//|    |                      ^
//|    |
//|    = help: count them: `for (uint i = 0; i < N; i++)`
//|
//| FILE:14:19: error: HLSL has no `'` between digits [syntax]
//|    |
//| 14 |     uint large = 1'000'000;
//|    |                   ^^^^^
//|    |
//|    = help: leave it out
//|
//| FILE:15:21: error: HLSL has no `<=>` [syntax]
//|    |
//| 15 |     int order = t <=> 2;
//|    |                     ^
//|    |
//|    = help: compare with `<` and `==`

//--- names-that-are-words-in-cpp
uint ref(uint module) { return module; }
struct concept { uint requires; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    concept import = { t };
    EXPECT_EQ(ref(import.requires), t);
}

//--- an-arrow-of-c
struct Pair { uint a, b; };
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Pair pair = { t, 2 };
    pair->a = 1; //~ error[syntax]: HLSL has no pointers, so there is no `->`
}
//| FILE:6:9: error: HLSL has no pointers, so there is no `->` [syntax]
//|   |
//| 6 |     pair->a = 1;
//|   |         ^^
//|   |
//|   = help: use `.`
//|   |
//| 6 -     pair->a = 1;
//| 6 +     pair.a = 1;

//--- a-word-for-an-operator
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t > 1 and t < 3) t = 2; //~ error[syntax]: expected `)`
}
//| FILE:4:15: error: expected `)`, found `and` [syntax]
//|   |
//| 4 |     if (t > 1 and t < 3) t = 2;
//|   |        -      ^^^
//|   |        |
//|   |        to close this
//|   |
//|   = help: did you mean `&&`?
//|   |
//| 4 -     if (t > 1 and t < 3) t = 2;
//| 4 +     if (t > 1 && t < 3) t = 2;
