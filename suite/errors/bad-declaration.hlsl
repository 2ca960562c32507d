// Invalid declarations.

//--- an-array-of-no-size
groupshared uint data[]; //~ error[bad-declaration]: the size of the array `data` is missing
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:18: error: the size of the array `data` is missing [bad-declaration]
//|   |
//| 2 | groupshared uint data[];
//|   |                  ^^^^

//--- a-struct-in-itself
struct S {
    S inner; //~ error[bad-declaration]: `S` is incomplete here, so it cannot be a field
};
[numthreads(4, 1, 1)] void main() {}
//| FILE:3:7: error: `S` is incomplete here, so it cannot be a field [bad-declaration]
//|   |
//| 3 |     S inner;
//|   |       ^^^^^

//--- an-open-array-is-not-an-element
typedef uint Row[];
[numthreads(WIDTH, 1, 1)]
void main() {
    Row rows[3]; //~ error[bad-declaration]: the size of an inner array must be known
}
//| FILE:5:13: error: the size of an inner array must be known [bad-declaration]
//|   |
//| 5 |     Row rows[3];
//|   |             ^^^

//--- a-static-member-is-defined-as-another-type
struct Counter { static float total; };
uint Counter::total = 5; //~ error[bad-declaration]: `total` is declared as `float`, not as `uint`
[numthreads(WIDTH, 1, 1)]
void main() {}
//| FILE:3:15: error: `total` is declared as `float`, not as `uint` [bad-declaration]
//|   |
//| 2 | struct Counter { static float total; };
//|   |                               ----- declared here
//| 3 | uint Counter::total = 5;
//|   |               ^^^^^

//--- a-buffer-that-is-never-written-needs-no-coherence
globallycoherent Buffer<float4> colours : register(t0); //~ error[bad-declaration]: cannot be `globallycoherent`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float first = colours[t].x;
}
//| FILE:2:1: error: a `Buffer<float4>` cannot be `globallycoherent`: it is never written [bad-declaration]
//|   |
//| 2 | globallycoherent Buffer<float4> colours : register(t0);
//|   | ^^^^^^^^^^^^^^^^

//--- strings-are-text-for-the-file-alone
struct Entry {
    string text; //~ error[bad-declaration]: `text` cannot be a `string`
    uint number;
    static const string kind = "entry"; //~ error[bad-declaration]: `kind` cannot be a `string`
};
cbuffer Params {
    string title; //~ error[bad-declaration]: `title` cannot be a `string`
};
namespace names {
    static const string own = "own"; //~ error[bad-declaration]: `own` cannot be a `string`
}
typedef string Text;
groupshared string shared; //~ error[bad-declaration]: a `string` cannot be groupshared
RWStructuredBuffer<string> Texts; //~ error[type-mismatch]: a buffer cannot hold a `string`
void say(Text message) {} //~ error[bad-declaration]: a parameter cannot be of type `string`
string name() { return "a"; } //~ error[bad-declaration]: a function cannot return a `string`
template<typename T> struct Box { T value; }; //~ error[bad-declaration]: `value` cannot be a `string`
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Entry entry = { "x", 3 };
    Box<string> box;
    string inner = "text"; //~ error[bad-declaration]: `inner` cannot be a `string`
    Out[lane] = entry.number;
}
//| FILE:3:12: error: `text` cannot be a `string`: only variables at file scope can [bad-declaration]
//|   |
//| 3 |     string text;
//|   |            ^^^^
//|   |
//|   = help: declare it at the top of the file
//|
//| FILE:5:25: error: `kind` cannot be a `string`: only variables at file scope can [bad-declaration]
//|   |
//| 5 |     static const string kind = "entry";
//|   |                         ^^^^
//|   |
//|   = help: declare it at the top of the file
//|
//| FILE:8:12: error: `title` cannot be a `string`: only variables at file scope can [bad-declaration]
//|   |
//| 8 |     string title;
//|   |            ^^^^^
//|   |
//|   = help: declare it at the top of the file
//|
//| FILE:11:25: error: `own` cannot be a `string`: only variables at file scope can [bad-declaration]
//|    |
//| 11 |     static const string own = "own";
//|    |                         ^^^
//|    |
//|    = help: declare it at the top of the file
//|
//| FILE:14:1: error: a `string` cannot be groupshared: it has no storage [bad-declaration]
//|    |
//| 14 | groupshared string shared;
//|    | ^^^^^^^^^^^
//|
//| FILE:15:1: error: a buffer cannot hold a `string`, which has no storage [type-mismatch]
//|    |
//| 15 | RWStructuredBuffer<string> Texts;
//|    | ^^^^^^^^^^^^^^^^^^^^^^^^^^
//|
//| FILE:16:10: error: a parameter cannot be of type `string` [bad-declaration]
//|    |
//| 16 | void say(Text message) {}
//|    |          ^^^^
//|
//| FILE:17:1: error: a function cannot return a `string` [bad-declaration]
//|    |
//| 17 | string name() { return "a"; }
//|    | ^^^^^^
//|
//| FILE:18:37: error: `value` cannot be a `string`: only variables at file scope can [bad-declaration]
//|    |
//| 18 | template<typename T> struct Box { T value; };
//|    |                                     ^^^^^
//|    |
//|    = help: declare it at the top of the file
//|
//| FILE:24:12: error: `inner` cannot be a `string`: only variables at file scope can [bad-declaration]
//|    |
//| 24 |     string inner = "text";
//|    |            ^^^^^
//|    |
//|    = help: declare it at the top of the file
