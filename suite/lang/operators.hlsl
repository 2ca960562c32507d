// Operators: results, order of evaluation, and precedence.

//--- operators-bind-as-in-c
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint a = t, b = 6, c = 3;
    EXPECT_EQ(a | b + c << 2, a | ((b + c) << 2));
    EXPECT_EQ(a + b * c, a + 18);
    EXPECT_EQ(a & b == 6, a & 1);
    EXPECT_EQ(a ^ b & c, a ^ 2);
    EXPECT_EQ(a | b ^ c & 1, a | 7);
    EXPECT_EQ(b - c - 1, 2);
    EXPECT_EQ(b / c * 2, 4);
    EXPECT_EQ(b % 4 * 2, 4);
    EXPECT_EQ(1u << 2 << 1, 8);
    EXPECT_EQ(64u >> 2 + 1, 8);
    EXPECT_EQ(c < b == true, true);
    EXPECT_EQ(-2 + 3, 1);
    EXPECT_EQ(!a + 1, (a == 0) ? 2 : 1);
    EXPECT_EQ(~a & 15, 15 - a % 16);
    EXPECT_EQ(- -3, 3);
    EXPECT_EQ(true || false && false, true);
    EXPECT_EQ(a == 0 ? 1 : a == 1 ? 2 : 3, a > 1 ? 3 : a + 1);
    EXPECT_EQ((a, b, c), 3);
    EXPECT_EQ((uint)2.9 * 2, 4);
    EXPECT_EQ(-b >> 28, 15);
}

//--- operators-that-assign
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint x = t;
    x += 5; EXPECT_EQ(x, t + 5);
    x -= 2; EXPECT_EQ(x, t + 3);
    x *= 6; EXPECT_EQ(x, 6 * t + 18);
    x /= 3; EXPECT_EQ(x, 2 * t + 6);
    x %= 4; EXPECT_EQ(x, (2 * t + 2) % 4);
    x = t;
    x <<= 4; EXPECT_EQ(x, 16 * t);
    x >>= 2; EXPECT_EQ(x, 4 * t);
    x |= 3; EXPECT_EQ(x, 4 * t + 3);
    x &= ~1u; EXPECT_EQ(x, 4 * t + 2);
    x ^= 2; EXPECT_EQ(x, 4 * t);
    // The computation has the common type; the result is converted to the variable's type.
    uint n = 10;
    n *= 0.25;
    EXPECT_EQ(n, 2);
    int m = -7;
    m /= 2;
    EXPECT_EQ(m, -3);
    float f = 7;
    f /= 2;
    EXPECT_EQ(f, 3.5);
    f %= 2;
    EXPECT_EQ(f, 1.5);
}

//--- operators-that-count
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    uint i = t;
    EXPECT_EQ(i++, t);
    EXPECT_EQ(i, t + 1);
    EXPECT_EQ(++i, t + 2);
    EXPECT_EQ(i--, t + 2);
    EXPECT_EQ(--i, t);
    float f = 0.5;
    f++;
    EXPECT_EQ(f--, 1.5);
    uint2 v = uint2(t, 5);
    EXPECT_EQ(v++, uint2(t, 5));
    EXPECT_EQ(--v, uint2(t, 5));
    uint a[3] = { 0, 0, 0 };
    uint k = 0;
    a[k++] = k;
    a[k++] = 7;
    EXPECT_EQ(a[1], 7);
    EXPECT_EQ(k, 2);
}

//--- operators-on-bools
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    bool odd = t & 1, big = t > 3;
    EXPECT_EQ(odd + big, (t & 1) + (t > 3 ? 1 : 0));
    EXPECT_EQ(odd * 3u, 3 * (t & 1));
    EXPECT_EQ(odd ^ big, odd != big);
    EXPECT_EQ(odd & big, odd && big);
    EXPECT_EQ(odd | big, odd || big);
    EXPECT_EQ(-odd, (t & 1) ? -1 : 0);
    EXPECT_EQ((bool)0.5, true);
    EXPECT_EQ((bool)(t * 256), t != 0);
    odd = 2;
    EXPECT_EQ((uint)odd, 1);
    odd |= big;
    EXPECT_EQ(odd, true);
}

//--- operators-find-a-common-type
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    int minus = -1;
    uint one = 1;
    EXPECT_EQ(minus < one, false);
    EXPECT_EQ(minus + one, 0);
    EXPECT_EQ(1 / 2, 0);
    EXPECT_EQ(1 / 2.0, 0.5);
    EXPECT_EQ(t / 2 * 2 + t % 2, t);
    EXPECT_EQ(t * 0.5 * 2, (float)t);
    EXPECT_EQ(minus >> 1, -1);
    EXPECT_EQ((uint)minus >> 31, 1);
    uint64_t wide = 1;
    EXPECT_EQ((wide << 40) + t, 1099511627776ull + t);
    EXPECT_EQ(wide + minus, 0ull);
    EXPECT_EQ((int64_t)minus + 1, (int64_t)0);
    EXPECT_EQ(-7 % 3, -1);
    EXPECT_EQ(fmod(-7.0, 3.0), -1.0);
    EXPECT_EQ(-7.5 % 2.0, -1.5);
    double d = 1;
    EXPECT_EQ(d / 4, 0.25l);
    EXPECT_EQ(t & 1 ? 1.5 : 2, (t & 1) ? 1.5 : 2.0);
}

//--- operators-evaluate-from-left-to-right
static uint trace;
uint note(uint x) { trace = trace * 10 + x; return x; }
bool yes(uint x) { trace = trace * 10 + x; return true; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    trace = 0;
    uint sum = note(1) + note(2) * note(3);
    EXPECT_EQ(trace, 123);
    EXPECT_EQ(sum, 7);
    trace = 0;
    if (t < 2 && yes(4)) yes(5);
    EXPECT_EQ(trace, t < 2 ? 45 : 0);
    trace = 0;
    bool either = t < 2 || yes(6);
    EXPECT_EQ(trace, t < 2 ? 0 : 6);
    EXPECT(either);
    trace = 0;
    uint chosen = (t & 1) ? note(7) : note(8);
    EXPECT_EQ(trace, chosen);
    EXPECT_EQ(chosen, 8 - t % 2);
}

//--- operators-in-hlsl-2018-evaluate-both-sides
//# args -HV 2018
static uint trace;
bool yes(uint x) { trace = trace * 10 + x; return true; }
uint note(uint x) { trace = trace * 10 + x; return x; }
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    trace = 0;
    bool both = t < 2 && yes(4);
    EXPECT(trace == 4);
    EXPECT(both == (t < 2));
    trace = 0;
    bool either = t < 2 || yes(6);
    EXPECT(trace == 6);
    EXPECT(either);
    trace = 0;
    uint chosen = (t & 1) ? note(7) : note(8);
    EXPECT(trace == 78);
    EXPECT(chosen == 8 - t % 2);
}

//--- operators-of-a-structure
struct Complex {
    float re, im;
    Complex operator+(Complex o) { Complex r; r.re = re + o.re; r.im = im + o.im; return r; }
    Complex operator*(Complex o) { Complex r; r.re = re * o.re - im * o.im; r.im = re * o.im + im * o.re; return r; }
    Complex operator*(float k) { Complex r; r.re = re * k; r.im = im * k; return r; }
    bool operator==(Complex o) { return re == o.re && im == o.im; }
    bool operator<(Complex o) { return re < o.re; }
    float operator[](uint i) { return i == 0 ? re : im; }
    float operator()(float a, float b) { return re * a + im * b; }
};
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Complex a = { t, 1 }, b = { 2, 3 };
    Complex s = a + b * a;
    EXPECT_EQ(s.re, t + 2.0 * t - 3);
    EXPECT_EQ(s.im, 1 + 3.0 * t + 2);
    EXPECT_EQ(a == a, true);
    EXPECT_EQ(a == b, false);
    EXPECT_EQ(a < b, t < 2);
    EXPECT_EQ(b[0] * 10 + b[1], 23.0);
    EXPECT_EQ((a * 2.0)[1], 2.0);
    EXPECT_EQ(b(1, 10), 32.0);
}
