// Included files, pragmas, and source locations.

//--- files-are-included-in-every-way
#include "included.hlsli"
#include <preprocess/included.hlsli>
#include "..\preprocess\included.hlsli"
#define FOLDER(x) <preprocess/x>
#define GUARDED "guarded.hlsli"
#include FOLDER(guarded.hlsli)
#include GUARDED
#include "guarded.hlsli" // the guard keeps it out
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(included(1), 2);
    EXPECT_EQ(guarded(1), 3);
}

//--- a-pragma-silences-warnings-by-their-codes
float2 first(float4 v) {
#pragma warning(push)
#pragma warning(disable: implicit-truncation, missing-return)
    float2 a = v;
#pragma warning(pop)
    float2 b = v; //~ warning[implicit-truncation]
#pragma warning(disable: 3206; suppress: "implicit-truncation")
    float2 c = v;
#pragma warning(default: implicit-truncation)
    float2 d = v; //~ warning[implicit-truncation]
    return a + b + c + d;
}
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(first(float4(1, 2, 3, 4)), float2(4, 8));
}

//--- a-pragma-holds-in-included-files-and-behind-them
#pragma warning(disable: implicit-truncation)
#include "included.hlsli"
float2 first(float4 v) { return v; }
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(included(1), 2);
    EXPECT_EQ(first(float4(1, 2, 3, 4)), float2(1, 2));
}

//--- a-pragma-makes-a-warning-an-error
#pragma warning(error: implicit-truncation)
float2 first(float4 v) { return v; } //~ error[implicit-truncation]
[numthreads(WIDTH, 1, 1)]
void main() {
    first(1);
}

//--- spirv-is-a-macro-where-it-is-asked-for
//# args -spirv
#ifndef __spirv__
#error it is missing
#endif
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(__spirv__, 1);
}

//--- spirv-is-not-a-macro-otherwise
#ifdef __spirv__
#error it is there
#endif
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}

//--- pragmas-of-others-are-not-a-mistake
#pragma kernel main
#pragma multi_compile _ FAST SLOW
#pragma warning(push)
#pragma warning(disable : 3557 3206; once : 4000)
#pragma warning(error : 3571)
#pragma warning(pop)
#pragma message("hello") //~ note[warning-directive]: hello
#pragma message("")
#pragma odd one //~ warning[unknown-pragma]: `#pragma odd`
#pragma odd two
#define QUIET(n) _Pragma("warning(disable: 1)") n
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(QUIET(1), 1);
}

//--- matrices-are-packed-as-a-pragma-says
//# in rows f32: 1 2 3 4
#define PACK(order) _Pragma(#order)
#pragma pack_matrix(row_major)
struct Rows { float2x2 m; };
PACK(pack_matrix(column_major))
struct Columns { float2x2 m; };
RWByteAddressBuffer rows;
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT_EQ(rows.Load<Rows>(0).m[0][1], 2.0);
    EXPECT_EQ(rows.Load<Columns>(0).m[0][1], 3.0);
}

//--- a-misspelt-pragma-is-noticed
#pragma ones //~ warning[unknown-pragma]: `#pragma ones`
#pragma pack_matrix(rows) //~ error[bad-directive]: row_major
_Pragma(once) //~ error[bad-directive]: a string in parentheses
[numthreads(4, 1, 1)]
void main() {}

//--- a-mistake-in-an-included-file-tells-how-it-came-there
#include "outer.hlsli"
[numthreads(4, 1, 1)]
void main() {
    uint a = BROKEN(1); //~ error[unknown-name]: nothing
}
