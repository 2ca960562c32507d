// Reserved words are not identifiers.

//--- a-variable-named-new
[numthreads(4, 1, 1)]
void main() {
    float new = 1; //~ error[reserved-word]: new
}
//| FILE:4:11: error: HLSL has no `new` [reserved-word]
//|   |
//| 4 |     float new = 1;
//|   |           ^^^
//|   |
//|   = help: there is no memory to allocate: declare an array or a buffer

//--- there-is-no-goto
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    goto end; //~ error[reserved-word]: HLSL has no `goto`
    t++;
end:
    t++;
}
//| FILE:4:5: error: HLSL has no `goto` [reserved-word]
//|   |
//| 4 |     goto end;
//|   |     ^^^^
//|   |
//|   = help: use `break`, `continue`, `return`, or a variable that a condition tests

//--- keywords-of-cpp-that-hlsl-does-not-have
union Bits { uint a; float b; }; //~ error[reserved-word]: HLSL has no unions
struct Shape {
    virtual float area() { return 0; } //~ error[reserved-word]: HLSL has no virtual functions
    friend void show(); //~ error[reserved-word]: HLSL has no friends
    mutable uint cache; //~ error[reserved-word]: HLSL has no `mutable`
    explicit operator uint() { return 1; } //~ error[reserved-word]: HLSL has no constructors or conversion operators
};
[numthreads(WIDTH, 1, 1)]
void main() {}
//| FILE:2:1: error: HLSL has no unions [reserved-word]
//|   |
//| 2 | union Bits { uint a; float b; };
//|   | ^^^^^
//|   |
//|   = help: use a struct, and `asuint`, `asint` and `asfloat` to reinterpret bits
//|
//| FILE:4:5: error: HLSL has no virtual functions [reserved-word]
//|   |
//| 4 |     virtual float area() { return 0; }
//|   |     ^^^^^^^
//|   |
//|   = help: a parameter of a template chooses the function at compile time
//|
//| FILE:5:5: error: HLSL has no friends [reserved-word]
//|   |
//| 5 |     friend void show();
//|   |     ^^^^^^
//|   |
//|   = help: all members are public
//|
//| FILE:6:5: error: HLSL has no `mutable` [reserved-word]
//|   |
//| 6 |     mutable uint cache;
//|   |     ^^^^^^^
//|   |
//|   = help: leave it out
//|
//| FILE:7:5: error: HLSL has no constructors or conversion operators [reserved-word]
//|   |
//| 7 |     explicit operator uint() { return 1; }
//|   |     ^^^^^^^^
//|   |
//|   = help: write a method or a function
