// Types of 16 and 64 bits, and the minimum-precision types.

//--- small-16-bit-integers-wrap
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint16_t a = (uint16_t)(65535 - t);
    EXPECT_EQ((uint)(uint16_t)(a + (uint16_t)(t + 1)), 0);
    a *= (uint16_t)2;
    EXPECT_EQ((uint)a, 65534 - 2 * t);
    int16_t b = (int16_t)32767;
    b++;
    EXPECT_EQ((int)b, -32768);
    EXPECT_EQ((int)(b >> (int16_t)15), -1);
    EXPECT_EQ((uint)(uint16_t)~(uint16_t)t, 65535 - t);
    uint16_t3 v = uint16_t3(1, 2, 3);
    v.zx += (uint16_t)t;
    EXPECT_EQ((uint3)v, uint3(1 + t, 2, 3 + t));
    int16_t2 w = int16_t2(-1, 1);
    EXPECT_EQ(w < (int16_t)0, bool2(true, false));
    EXPECT_EQ((uint)max(v.x, v.z), 3 + t);
    EXPECT_EQ((int)abs(w.x), 1);
}

//--- small-16-bit-integers-promote-among-others
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint16_t a = (uint16_t)65535;
    EXPECT_EQ(a + t, 65535 + t);
    int16_t b = (int16_t)-2;
    EXPECT_EQ(b + (int)t, (int)t - 2);
    EXPECT_EQ((uint64_t)a << 32, 65535ull << 32);
    EXPECT_EQ(b * 0.5, -1.0);
}

//--- small-halves
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    half h = (half)t;
    EXPECT_EQ((float)(h * h), (float)(t * t > 2048 ? (float)(half)(float)(t * t) : t * t));
    half3 v = half3(1, 2, h);
    EXPECT_EQ((float3)(v + v), float3(2, 4, 2.0 * t));
    EXPECT_EQ((float)dot(v.xy, v.yx), 4.0);
    EXPECT_EQ((float)sqrt((half)16), 4.0);
    EXPECT_EQ(asuint16((half)-2), (uint16_t)0xc000);
    EXPECT_EQ((float)asfloat16((uint16_t)0x3800), 0.5);
    EXPECT_EQ(asint16((half)-0.0), (int16_t)0x8000);
    EXPECT_EQ((float)min(h, (half)2), t < 2 ? t : 2.0);
    EXPECT_EQ((float)(half)65520.0, asfloat(0x7f800000));
    EXPECT_EQ(f32tof16(1.0), 0x3c00);
    EXPECT_EQ(f16tof32(0x4000u), 2.0);
}

//--- small-half-is-float-without-the-flag
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    half h = 2049;
    EXPECT_EQ((float)h, 2049.0);
    EXPECT_EQ(sizeof(half), 4);
    half2 v = half2(t, 1.0 / 3);
    EXPECT_EQ(asuint((float)v.y), 0x3eaaaaab);
}

//--- small-minimum-precision-has-32-bits
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    min16float f = 2049;
    min16int i = 40000;
    min16uint u = 65535;
    min10float g = 0.5;
    min12int n = -1;
    u += 1;
    EXPECT_EQ((float)f, 2049.0);
    EXPECT_EQ((int)i, 40000);
    EXPECT_EQ((uint)u, 65536);
    EXPECT_EQ((float)g + (int)n, -0.5);
    min16float3 v = min16float3(1, 2, t);
    EXPECT_EQ((float3)v.zyx, float3(t, 2, 1));
    min16uint4 w = (min16uint4)t;
    EXPECT_EQ((uint)(w.x + w.w), 2 * t);
}

//--- small-minimum-precision-has-16-bits-with-the-flag
//# args -enable-16bit-types
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    min16float f = (min16float)2049.0;
    EXPECT_EQ((float)f, 2048.0);
    min16uint u = (min16uint)65535;
    u += (min16uint)1;
    EXPECT_EQ((uint)u, 0);
}

//--- small-overloads-of-minimum-precision
uint of(uint x) { return 1; }
uint of(min16uint x) { return 2; }
uint of(uint64_t x) { return 3; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    min16uint m = (min16uint)t;
    EXPECT_EQ(of(t), 1);
    EXPECT_EQ(of(m), 2);
    EXPECT_EQ(of((uint64_t)t), 3);
}

//--- wide-64-bit-integers
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint64_t a = 0x100000000ull * t + 7;
    EXPECT_EQ((uint)(a >> 32), t);
    EXPECT_EQ((uint)a, 7);
    EXPECT_EQ(a * a, 0x100000000ull * (14 * t) + 49);
    EXPECT_EQ((a + 1) / 0x100000000ull, (uint64_t)t);
    EXPECT_EQ(a % 0x100000000ull, 7ull);
    int64_t b = -(int64_t)t;
    EXPECT_EQ(b >> 1, (int64_t)-(int)((t + 1) / 2));
    EXPECT_EQ(b < 0, t != 0);
    EXPECT_EQ((float)b, -(float)t);
    uint64_t2 v = uint64_t2(1, 2) << 33;
    EXPECT_EQ(v.y, 1ull << 34);
    EXPECT_EQ(~0ull ^ a, ~a);
    EXPECT_EQ(min(a, 9ull), t == 0 ? 7ull : 9ull);
    a |= 1ull << 63;
    EXPECT_EQ((int64_t)a < 0, true);
    EXPECT_EQ(countbits((uint)(a >> 32)), 1 + countbits(t));
}

//--- wide-doubles
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    double a = 1.0l / 3;
    EXPECT_EQ(a, asdouble(0x55555555u, 0x3fd55555u));
    double2 v = double2(t, 0.5l);
    EXPECT_EQ((v * 2).x, 2.0l * t);
    EXPECT_EQ((float)a, 0.333333343);
    EXPECT_EQ(a < v.y, true);
    EXPECT_EQ((int)(v.x + v.y), (int)t);
    EXPECT_EQ(min(a, v.x), t == 0 ? 0.0l : a);
    EXPECT_EQ(abs(-a), a);
    EXPECT_EQ((double)16777217 + 0.5l, 16777217.5l);
    v.yx = v.xy;
    EXPECT_EQ(v.y, (double)t);
}

//--- small-types-by-name
uint of(min16float v) { return 1; }
uint of(float v) { return 2; }
uint of(min16int v) { return 3; }
uint of(int v) { return 4; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    min16float a = (min16float)1.5;
    min10float b = (min10float)2.5;
    min12int c = (min12int)-3;
    min16int d = (min16int)4;
    min16float3 v = min16float3(1, 2, 3);
    half h = (half)0.5;
    EXPECT_EQ(of(a) * 100 + of(b) * 10 + of(c), 113);
    EXPECT_EQ((float)(a + b), 4.0);
    EXPECT_EQ((int)(c * d), -12);
    EXPECT_EQ((float)dot(v, v), 14.0);
    EXPECT_EQ(of(h), 2);
    EXPECT_EQ(sizeof(min16float), 4);
}

//--- small-types-as-16-bits
//# args -enable-16bit-types
uint of(half v) { return 1; }
uint of(float v) { return 2; }
uint of(min16uint v) { return 3; }
uint of(uint16_t v) { return 4; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    half h = (half)2049;
    EXPECT_EQ((float)h, 2048.0);
    EXPECT_EQ(of(h) * 10 + of(1.0h), 11);
    EXPECT_EQ(sizeof(half3), 6);
    uint16_t w = (uint16_t)(65535 + t);
    EXPECT_EQ((uint)w, (65535 + t) & 0xffff);
    float16_t2 v = float16_t2(1, 2);
    EXPECT_EQ((float)(v.x / v.y), 0.5);
    EXPECT_EQ(of(w), 4);
    EXPECT_EQ(sizeof(min16uint), 2);
}
