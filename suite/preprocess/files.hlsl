// Included files, pragmas, and where things are.

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

//--- pragmas-of-others-are-no-mistake
#pragma kernel main
#pragma multi_compile _ FAST SLOW
#pragma warning(push)
#pragma warning(disable : 3557 3206; once : 4000)
#pragma warning(error : 3571)
#pragma warning(pop)
#pragma message("hello")
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
