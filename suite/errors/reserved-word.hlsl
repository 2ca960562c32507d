// Reserved words are not identifiers.

//--- a-variable-named-new
[numthreads(4, 1, 1)]
void main() {
    float new = 1; //~ error[reserved-word]: new
}
//| FILE:4:11: error: `new` is a word of the language and cannot be a name [reserved-word]
//|   |
//| 4 |     float new = 1;
//|   |           ^^^ expected a name
