// The format of a `printf` decides which arguments it takes.

//--- formats-that-do-not-suit-their-arguments
struct S { uint a; };
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    float3 position = float3(i, 2, 3);
    S s = { i };
    int64_t wide = i;
    printf("lane %d of %d\n", i); //~ error[bad-format]: no argument is given for `%d`
    printf("lane", i); //~ error[bad-format]: the format does not print this argument
    printf("%f", i); //~ error[bad-format]: `%f` does not print a `uint`
    printf("%d", position.x); //~ error[bad-format]: `%d` does not print a `float`
    printf("%f", position); //~ error[bad-format]: `%f` does not print a `float3`
    printf("%v2f", position); //~ error[bad-format]: `%v2f` does not print a `float3`
    printf("%d", wide); //~ error[bad-format]: `%d` does not print a `int64_t`
    printf("%ld", i); //~ error[bad-format]: `%ld` does not print a `uint`
    printf("%u", s); //~ error[bad-format]: `%u` does not print a `S`
    printf("%f", (float2x2)1); //~ error[bad-format]: `%f` does not print a `float2x2`
    printf("%f", 1); //~ error[bad-format]: `%f` does not print
}
//| FILE:7:24: error: no argument is given for `%d` [bad-format]
//|   |
//| 7 |     printf("lane %d of %d\n", i);
//|   |                        ^^
//|   |
//|   = note: the format takes 2 arguments, and 1 is given
//|   = help: write `%%` for a percent sign
//|
//| FILE:8:20: error: the format does not print this argument [bad-format]
//|   |
//| 8 |     printf("lane", i);
//|   |                    ^
//|   |
//|   = help: add `%u` to the format
//|
//| FILE:9:18: error: `%f` does not print a `uint` [bad-format]
//|   |
//| 9 |     printf("%f", i);
//|   |             --   ^
//|   |             |
//|   |             `%f` prints a float
//|   |
//|   = help: write `%u`
//|
//| FILE:10:18: error: `%d` does not print a `float` [bad-format]
//|    |
//| 10 |     printf("%d", position.x);
//|    |             --   ^^^^^^^^^^
//|    |             |
//|    |             `%d` prints an integer
//|    |
//|    = help: write `%f`
//|
//| FILE:11:18: error: `%f` does not print a `float3` [bad-format]
//|    |
//| 11 |     printf("%f", position);
//|    |             --   ^^^^^^^^
//|    |             |
//|    |             `%f` prints a float
//|    |
//|    = help: write `%v3f`
//|
//| FILE:12:20: error: `%v2f` does not print a `float3` [bad-format]
//|    |
//| 12 |     printf("%v2f", position);
//|    |             ----   ^^^^^^^^
//|    |             |
//|    |             `%v2f` prints a vector of 2 floats
//|    |
//|    = help: write `%v3f`
//|
//| FILE:13:18: error: `%d` does not print a `int64_t` [bad-format]
//|    |
//| 13 |     printf("%d", wide);
//|    |             --   ^^^^
//|    |             |
//|    |             `%d` prints an integer
//|    |
//|    = help: write `%ld`
//|
//| FILE:14:19: error: `%ld` does not print a `uint` [bad-format]
//|    |
//| 14 |     printf("%ld", i);
//|    |             ---   ^
//|    |             |
//|    |             `%ld` prints a 64-bit integer
//|    |
//|    = help: write `%u`
//|
//| FILE:15:18: error: `%u` does not print a `S` [bad-format]
//|    |
//| 15 |     printf("%u", s);
//|    |             --   ^
//|    |             |
//|    |             `%u` prints an unsigned integer
//|    |
//|    = help: print the members or elements, one by one
//|
//| FILE:16:18: error: `%f` does not print a `float2x2` [bad-format]
//|    |
//| 16 |     printf("%f", (float2x2)1);
//|    |             --   ^^^^^^^^^^^
//|    |             |
//|    |             `%f` prints a float
//|    |
//|    = help: print the rows, which are vectors
//|
//| FILE:17:18: error: `%f` does not print a `literal int` [bad-format]
//|    |
//| 17 |     printf("%f", 1);
//|    |             --   ^
//|    |             |
//|    |             `%f` prints a float
//|    |
//|    = help: write `%d`

//--- conversions-that-do-not-exist
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    printf("%n", i); //~ error[bad-format]: `%n` writes to memory
    printf("%s", i); //~ error[bad-format]: a shader has no strings
    printf("%c", i); //~ error[bad-format]: a shader has no characters
    printf("%*d", i, i); //~ error[bad-format]: cannot be an argument
    printf("50%"); //~ error[bad-format]: the format ends within a conversion
    printf("%y", i); //~ error[bad-format]: `%y` is not a conversion
    printf("%hd", i); //~ error[bad-format]: `h` is not a length
    printf("%1000d", i); //~ error[bad-format]: at most 256
    printf("\n%lf", i); //~ error[bad-format]: `%lf` has an `l`
}
//| FILE:3:13: error: `%n` writes to memory, and a format only prints [bad-format]
//|   |
//| 3 |     printf("%n", i);
//|   |             ^^
//|   |
//|   = help: write `%%n` for the text `%n`
//|
//| FILE:4:13: error: `%s`: a shader has no strings to print [bad-format]
//|   |
//| 4 |     printf("%s", i);
//|   |             ^^
//|   |
//|   = help: print numbers, for example with `%d`
//|
//| FILE:5:13: error: `%c`: a shader has no characters to print [bad-format]
//|   |
//| 5 |     printf("%c", i);
//|   |             ^^
//|   |
//|   = help: print numbers, for example with `%d`
//|
//| FILE:6:13: error: a width or a precision cannot be an argument [bad-format]
//|   |
//| 6 |     printf("%*d", i, i);
//|   |             ^^
//|   |
//|   = help: write the number instead of `*`
//|
//| FILE:7:15: error: the format ends within a conversion [bad-format]
//|   |
//| 7 |     printf("50%");
//|   |               ^
//|   |
//|   = help: write `%%` for a percent sign
//|
//| FILE:8:13: error: `%y` is not a conversion [bad-format]
//|   |
//| 8 |     printf("%y", i);
//|   |             ^^
//|   |
//|   = help: write `%%` for a percent sign
//|
//| FILE:9:13: error: `h` is not a length that shaders have [bad-format]
//|   |
//| 9 |     printf("%hd", i);
//|   |             ^^
//|   |
//|   = help: only `l` is, for 64-bit integers: `%ld`, `%lu`, `%lx`
//|
//| FILE:10:13: error: a width or a precision is at most 256 [bad-format]
//|    |
//| 10 |     printf("%1000d", i);
//|    |             ^^^^^
//|
//| FILE:11:15: error: `%lf` has an `l`, and floats have none [bad-format]
//|    |
//| 11 |     printf("\n%lf", i);
//|    |               ^^^
//|    |
//|    = help: `%f`, `%e`, `%g` and `%a` print floats of every size

//--- formats-that-are-not-literals
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    printf(i); //~ error[bad-format]: must be a string literal
    printf(); //~ error[bad-format]: must be a string literal
}
//| FILE:3:12: error: the format of `printf` must be a string literal [bad-format]
//|   |
//| 3 |     printf(i);
//|   |            ^
//|   |
//|   = help: for example `printf("lane %u\n", WaveGetLaneIndex())`
//|
//| FILE:4:5: error: the format of `printf` must be a string literal [bad-format]
//|   |
//| 4 |     printf();
//|   |     ^^^^^^
//|   |
//|   = help: for example `printf("lane %u\n", WaveGetLaneIndex())`

//--- debug-break-needs-shader-model-6-10
//# args -T cs_6_9
[numthreads(4, 1, 1)] void main(uint i : SV_GroupIndex) {
    DebugBreak(); //~ error[needs-shader-model]: `DebugBreak` requires shader model 6.10
    bool b = dx::IsDebuggingEnabled(); //~ error[needs-shader-model]: `dx::IsDebuggingEnabled` requires shader model 6.10
    if (b) printf("fine");
}
//| FILE:4:5: error: `DebugBreak` requires shader model 6.10, but the profile has 6.9 [needs-shader-model]
//|   |
//| 4 |     DebugBreak();
//|   |     ^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_10`
//|
//| FILE:5:14: error: `dx::IsDebuggingEnabled` requires shader model 6.10, but the profile has 6.9 [needs-shader-model]
//|   |
//| 5 |     bool b = dx::IsDebuggingEnabled();
//|   |              ^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: compile with `-T cs_6_10`
