// Real 16-bit types need a flag.

//--- a-half-without-the-flag
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float16_t h = 1; //~ error[needs-16bit-types]: `float16_t`
}

//--- short-as-slang-writes-it
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    short s = 1; //~ error[needs-16bit-types]: `int16_t`
}
