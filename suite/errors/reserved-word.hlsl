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
