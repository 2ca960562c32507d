// `printf`: each active lane prints a line. Lines are in the order of groups, waves, the wave's program, and lanes.

//--- printf-prints-a-line-in-each-active-lane
//# groups 2
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex, uint g : SV_GroupID) {
    printf("thread %u\n", i);
    if (i % 2 == 1) printf("group %u thread %u", g, i);
}
//> thread 0
//> thread 1
//> thread 2
//> thread 3
//> group 0 thread 1
//> group 0 thread 3
//> thread 0
//> thread 1
//> thread 2
//> thread 3
//> group 1 thread 1
//> group 1 thread 3

//--- printf-in-partial-waves-and-at-every-width
[numthreads(6, 1, 1)]
void main(uint i : SV_GroupIndex) {
    printf("lane %u of %u", i % WIDTH - WaveGetLaneIndex(), WaveGetLaneCount() - WIDTH);
    if (i == 5) printf("active %u", WaveActiveCountBits(true));
}
//> lane 0 of 0
//> lane 0 of 0
//> lane 0 of 0
//> lane 0 of 0
//> lane 0 of 0
//> lane 0 of 0
//> active 1

//--- printf-under-nested-divergence
[numthreads(4, 1, 1)]
void main(uint i : SV_GroupIndex) {
    if (i < 3) {
        if (i & 1) {
            printf("odd %u", i);
        } else {
            printf("even %u", i);
            switch (i) {
            case 2: printf("two, with %u", WaveActiveSum(1u)); break;
            default: printf("zero"); break;
            }
        }
        printf("below three: %u of %u", i, WaveActiveSum(1u));
    }
    printf("all: %u", WaveActiveSum(1u));
}
//> odd 1
//> even 0
//> even 2
//> two, with 1
//> zero
//> below three: 0 of 3
//> below three: 1 of 3
//> below three: 2 of 3
//> all: 4
//> all: 4
//> all: 4
//> all: 4

//--- printf-in-loops-and-functions
void say(int round, uint i) { printf("round %d thread %u", round, i); }
[numthreads(3, 1, 1)]
void main(uint i : SV_GroupIndex) {
    for (int k = -1; k < (int)i; k++) {
        if (k == 1) continue;
        say(k, i);
    }
    if (i == 0) return;
    say(9, i);
}
//> round -1 thread 0
//> round -1 thread 1
//> round -1 thread 2
//> round 0 thread 1
//> round 0 thread 2
//> round 9 thread 1
//> round 9 thread 2

//--- printf-across-barriers-keeps-the-order-of-waves
groupshared uint tile[8];
[numthreads(8, 1, 1)]
void main(uint i : SV_GroupIndex) {
    tile[i] = i;
    printf("before %u", i);
    GroupMemoryBarrierWithGroupSync();
    printf("after %u", tile[7 - i]);
}
//> before 0
//> before 1
//> before 2
//> before 3
//> @4 after 7
//> @4 after 6
//> @4 after 5
//> @4 after 4
//> before 4
//> before 5
//> before 6
//> before 7
//> @8 after 7
//> @16 after 7
//> @32 after 7
//> @64 after 7
//> @128 after 7
//> @8 after 6
//> @16 after 6
//> @32 after 6
//> @64 after 6
//> @128 after 6
//> @8 after 5
//> @16 after 5
//> @32 after 5
//> @64 after 5
//> @128 after 5
//> @8 after 4
//> @16 after 4
//> @32 after 4
//> @64 after 4
//> @128 after 4
//> after 3
//> after 2
//> after 1
//> after 0

//--- printf-formats-integers
//# zero In 4
RWStructuredBuffer<int> In;
[numthreads(1, 1, 1)]
void main() {
    int a = In[0] - 5;
    uint b = (uint)(In[0] + 255);
    int64_t c = (int64_t)In[0] - 0x100000000ll;
    uint64_t d = 18446744073709551615ull - (uint64_t)In[0];
    printf("%d %i %u %x %X %o %%", a, a, b, b, b, b);
    printf("[%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%#x] [%#o]", a, a, a, b, b, b, b, b);
    printf("%ld %lu %lx %ul %llu", c, d, c, c, d);
    printf("%d %u", a == -5, b == 0);
    printf("%v2d|%04v3u|%v4lx", int2(a, 1), uint3(b, 2, 3), uint64_t4(d, 1, 2, 3));
    printf("%d %d", 7, -7 - a);
}
//> -5 -5 255 ff FF 377 %
//> [   -5] [-5   ] [-0005] [+255] [ 255] [255] [0xff] [0377]
//> -4294967296 18446744073709551615 ffffffff00000000 ffffffff00000000 18446744073709551615
//> 1 0
//> -5, 1|0255, 0002, 0003|ffffffffffffffff, 1, 2, 3
//> 7 -2

//--- printf-formats-floats
//# zero In 4
RWStructuredBuffer<float> In;
[numthreads(1, 1, 1)]
void main() {
    float a = In[0] + 1234.5;
    double b = (double)In[0] + 0.1L;
    float nan = asfloat(0x7fc00000 | asuint(In[0]));
    float inf = asfloat(0x7f800000 | asuint(In[0]));
    printf("%f %e %g %a", a, a, a, a);
    printf("%.1f %.0f %8.2f| %-8.2f| %08.2f %+.1f %#.0f", a, a, a / 1000, a / 1000, -a / 1000, a, a);
    printf("%.17g %f", b, b);
    printf("%f %F %g %f %5.1f|", nan, -nan, inf, -inf, inf);
    printf("%.2v3f", float3(1, 2, a));
    printf("%v2f", float2(1, 2) * In[0]);
    printf("%f", 2.5);
}
//> 1234.500000 1.234500e+03 1234.5 0x1.34ap+10
//> 1234.5 1234     1.23| 1.23    | -0001.23 +1234.5 1234.
//> 0.10000000000000001 0.100000
//> nan NAN inf -inf   inf|
//> 1.00, 2.00, 1234.50
//> 0.000000, 0.000000
//> 2.500000

//--- printf-formats-16-bit-numbers
//# args -enable-16bit-types
//# zero In 4
RWStructuredBuffer<int> In;
[numthreads(1, 1, 1)]
void main() {
    int16_t a = (int16_t)(In[0] - 2);
    uint16_t b = (uint16_t)(In[0] + 65535);
    float16_t c = (float16_t)(In[0] + 0.1);
    printf("%d %u %x %.6f %v2d", a, b, b, c, int16_t2(a, 3));
}
//> -2 65535 ffff 0.099976 -2, 3

//--- printf-formats-min16-numbers-and-halves-as-they-are-computed
[numthreads(1, 1, 1)]
void main(uint i : SV_GroupIndex) {
    min16int a = -3 + (int)i;
    min16uint b = 7 + i;
    half c = 0.5 * (i + 1);
    min16float d = 0.25 + i;
    printf("%d %u %g %g", a, b, c, d);
}
//> -3 7 0.5 0.25

//--- printf-evaluates-its-arguments-once
//# zero Count 4
RWStructuredBuffer<uint> Count;
[numthreads(1, 1, 1)]
void main() {
    uint before;
    uint k = 3;
    InterlockedAdd(Count[0], 1, before);
    printf("%u %u %u", before, k++, k);
}
//= Count u32: 1
//> 0 3 4

//--- printf-can-be-a-function-of-the-program
//# zero Out 4
RWStructuredBuffer<uint> Out;
void printf(uint number) { Out[0] = number; }
[numthreads(1, 1, 1)]
void main() {
    printf(7u);
    printf("%u", 8u);
}
//= Out u32: 7
//> 8

//--- printf-takes-joined-literals-and-text-alone
[numthreads(1, 1, 1)]
void main() {
    printf("no arguments, %% and \"quotes\"\n");
    printf("one " "two %d", 3);
    printf("");
}
//> no arguments, % and "quotes"
//> one two 3
//> 

//--- debug-break-prints-a-line
[numthreads(2, 1, 1)]
void main(uint i : SV_GroupIndex) {
    if (i == 1) DebugBreak();
    if (dx::IsDebuggingEnabled()) printf("not reached");
}
//> DebugBreak()
