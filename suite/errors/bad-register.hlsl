// Registers have classes, and one owner.

//--- a-writable-buffer-in-t
RWStructuredBuffer<uint> data : register(t0); //~ error[bad-register]: takes a register `u`
[numthreads(4, 1, 1)] void main() {}

//--- one-register-for-two
RWStructuredBuffer<uint> a : register(u1);
RWStructuredBuffer<uint> b : register(u1); //~ error[bad-register]: `b` has registers that `a` has too
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    a[t] = b[t];
}
