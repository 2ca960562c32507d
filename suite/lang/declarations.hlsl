// Declarations that make no sense, and strings.

//--- errors-in-declarations
struct S { uint a; uint a; }; //~ error[duplicate-name]: `a` is already declared in this scope
void f(uint x, uint x) {} //~ error[duplicate-name]: `x` is already declared in this scope
uint g(uint x) { return x; }
int g(uint x); //~ error[duplicate-name]: `g` was declared to return `uint`, but returns `int` here
static auto a = 1; //~ error[unknown-name]: HLSL has no `auto`
struct R { R inner; }; //~ error[bad-declaration]: `R` is incomplete here, so it cannot be a field
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint t2 = 1, t2 = 2; //~ error[duplicate-name]: `t2` is already declared in this scope
    void v; //~ error[bad-declaration]: cannot be of type `void`
    uint b[]; //~ error[bad-declaration]: the size of the array `b` is missing
    uint c[t]; //~ error[not-constant]: the size of an array
    uint d[0]; //~ error[bad-declaration]: an array has at least one element
    groupshared uint e; //~ error[bad-declaration]: cannot be groupshared
    break; //~ error[misplaced-statement]: `break` outside a loop or `switch`
}

//--- strings-of-the-file
static const string hello = "hello";
string loose = "my " "text", listed = { "one" };
static string other = hello;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    other = loose;
    EXPECT(true);
}

//--- strings-stand-alone
static string several[2] = { "a", "b" }; //~ error[bad-declaration]: a `string` cannot be an array element
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    string inner[3]; //~ error[bad-declaration]: a `string` cannot be an array element
}
