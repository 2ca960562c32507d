// One buffer under two names: compilers may move accesses through one name over those through the other.

//--- san-a-load-behind-a-store-under-another-name
//# alias B A
//# zero A 64
//# zero Out 64
RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
RWStructuredBuffer<uint> Out : register(u2);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = t;
    Out[t] = B.Load(4 * t); //? aliased-buffers: `A` and `B` name the same memory
}

//--- san-two-stores-under-two-names
//# alias B A
//# zero A 64
RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = t;
    B.Store(4 * t, 1); //? aliased-buffers: help: access this memory through one name, `A` or `B`
}

//--- san-a-store-behind-a-load-that-it-does-not-depend-on
//# alias B A
//# zero A 64
//# zero Out 64
RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
RWStructuredBuffer<uint> Out : register(u2);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint old = B.Load(4 * t);
    A[t] = t; //? aliased-buffers: writes element 0 of `A`
    Out[t] = old;
}

//--- san-an-update-in-place
//# alias B A
//# in A u32: 0..16
//= A u32: 0 3 6 9 12 15 18 21 24 27 30 33 36 39 42 45
RWStructuredBuffer<uint> A : register(u0);
StructuredBuffer<uint> B : register(t0);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = 3 * B[t];
}

//--- san-an-update-where-it-is-needed
//# alias B A
//# in A u32: 5 0*15
//= A u32: 5 7*15
RWStructuredBuffer<uint> A : register(u0);
StructuredBuffer<uint> B : register(t0);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (B[t] == 0) A[t] = 7;
}

//--- san-a-barrier-between-two-names
//# alias B A
//# zero A 64
//# zero Out 64
//= Out u32: 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1 0
RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
RWStructuredBuffer<uint> Out : register(u2);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = t;
    DeviceMemoryBarrierWithGroupSync();
    Out[t] = B.Load(4 * (15 - t));
}

//--- san-no-barrier-helps-a-read-only-name
//# alias B A
//# zero A 64
//# zero Out 64
RWStructuredBuffer<uint> A : register(u0);
StructuredBuffer<uint> B : register(t0);
RWStructuredBuffer<uint> Out : register(u2);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = t;
    DeviceMemoryBarrierWithGroupSync();
    Out[t] = B[15 - t]; //? aliased-buffers: whatever barriers there are
}

//--- san-two-names-that-are-only-read
//# alias B A
//# in A u32: 0..16
//# zero Out 64
//= Out u32: 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30
StructuredBuffer<uint> A : register(t0);
ByteAddressBuffer B : register(t1);
RWStructuredBuffer<uint> Out : register(u0);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Out[t] = A[t] + B.Load(4 * t);
}

//--- san-two-names-of-different-bytes
//# alias B A
//# zero A 128
//= A u32: 0..16 0*16
RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = t;
    B.Store(64 + 4 * t, B.Load(64 + 4 * t));
}

//--- san-a-race-under-two-names
//# alias B A
//# widths 4 8
//# zero A 64
//# zero Out 64
RWStructuredBuffer<uint> A : register(u0);
RWByteAddressBuffer B : register(u1);
RWStructuredBuffer<uint> Out : register(u2);
[numthreads(16, 1, 1)]
void main(uint t : SV_GroupIndex) {
    A[t] = t; //? race: (1) accesses it as `B`: both names mean the same buffer
    Out[t] = B.Load(4 * (15 - t));
}
