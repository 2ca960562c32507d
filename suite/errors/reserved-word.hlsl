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
