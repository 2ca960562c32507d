// Byte addresses that are not a multiple of the size of what is accessed there.

//--- san-an-index-in-place-of-an-address
//# widths 4
//# in Bytes u32: 1 2 3 4
//# zero Out 16
RWByteAddressBuffer Bytes;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = Bytes.Load(t); //? misaligned-address: `Bytes` is accessed at an address that is not a multiple of 4
}

//--- san-addresses-of-words
//# in Bytes u32: 1 2 3 4
//# zero Out 16
//= Out u32: 1 2 3 4
RWByteAddressBuffer Bytes;
RWStructuredBuffer<uint> Out;
[numthreads(4, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = Bytes.Load(4 * t);
}

//--- san-a-store-and-an-atomic-operation
//# widths 4
//# zero Bytes 32
RWByteAddressBuffer Bytes;
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Bytes.Store(t + 2, 1); //? misaligned-address: multiple of 4
    Bytes.InterlockedAdd(t + 9, 1); //? misaligned-address: multiple of 4
}

//--- san-scalars-of-two-and-eight-bytes
//# widths 4
//# args -enable-16bit-types
//# zero Bytes 64
//# zero Out 4
RWByteAddressBuffer Bytes;
RWStructuredBuffer<uint> Out;
[numthreads(1, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint16_t half_word = Bytes.Load<uint16_t>(t + 2);
    uint16_t odd = Bytes.Load<uint16_t>(t + 3); //? misaligned-address: multiple of 2
    uint64_t pair = Bytes.Load<uint64_t>(t + 16);
    uint64_t across = Bytes.Load<uint64_t>(t + 20); //? misaligned-address: multiple of 8
    Out[0] = half_word + odd + (uint)pair + (uint)across;
}

//--- san-a-stride-that-is-not-a-multiple
//# args -T cs_6_6 -enable-16bit-types
//# zero Bytes 256
RWByteAddressBuffer Bytes;
[numthreads(8, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Bytes.Store<uint64_t>(12 * t, t); //? misaligned-address: help: make every offset and stride in an address a multiple of 8
}
