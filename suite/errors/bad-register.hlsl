// A register has a class, and belongs to one resource.

//--- a-writable-buffer-in-t
RWStructuredBuffer<uint> data : register(t0); //~ error[bad-register]: takes a register `u`
[numthreads(4, 1, 1)] void main() {}
//| FILE:2:33: error: a `RWStructuredBuffer<uint>` takes a register `u`, not `t` [bad-register]
//|   |
//| 2 | RWStructuredBuffer<uint> data : register(t0);
//|   |                                 ^^^^^^^^^^^^
//|   |
//|   = help: write `register(u0)`

//--- one-register-for-two
RWStructuredBuffer<uint> a : register(u1);
RWStructuredBuffer<uint> b : register(u1); //~ error[bad-register]: the registers of `b` overlap those of `a`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    a[t] = b[t];
}
//| FILE:3:26: error: the registers of `b` overlap those of `a` [bad-register]
//|   |
//| 2 | RWStructuredBuffer<uint> a : register(u1);
//|   |                          - the other resource
//| 3 | RWStructuredBuffer<uint> b : register(u1);
//|   |                          ^
