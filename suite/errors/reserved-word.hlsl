// Words of the language are no names.

//--- a-variable-named-new
[numthreads(4, 1, 1)]
void main() {
    float new = 1; //~ error[reserved-word]: new
}
