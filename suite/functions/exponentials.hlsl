// Powers, logarithms and roots at their corner cases. Expected values are the nearest floats to the exact results.

//--- exp-overflows-to-infinity-and-fades-through-denormals
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 2 1e1 -1e1 0.6931472 88.7 88.73 -87.3 -1e2 -103.9 -104 127.5 128 -126 -149 -1.5e2 1e3 -1e3 inf -inf nan
//# in Y f32: 1 1 2.7182817 0.36787945 1.6487212 1 1 1.00003 7.389056 22026.465 4.539993e-5 2 3.3259769e38 inf 1.2192433e-38 3.8e-44 1e-45 0 inf inf 0 0 0 inf 0 inf 0 nan
#define CALL(x) exp(x)
#include "functions/one.hlsli"

//--- exp2-of-whole-numbers-is-exact
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 2 1e1 -1e1 0.6931472 88.7 88.73 -87.3 -1e2 -103.9 -104 127.5 128 -126 -149 -1.5e2 1e3 -1e3 inf -inf nan
//# in Y f32: 1 1 2 0.5 1.4142135 1 1 1.0000207 4 1024 0.0009765625 1.6168066 5.027588e26 5.1332515e26 5.249047e-27 7.888609e-31 5.2842456e-32 4.9303807e-32 2.4061597e38 inf 1.1754944e-38 1e-45 0 inf 0 inf 0 nan
#define CALL(x) exp2(x)
#include "functions/one.hlsli"

//--- log-of-zero-is-minus-infinity-and-of-negative-numbers-nan
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 2 1e1 1e2 1e3 1e-45 1e-38 1e-40 0.99999994 1.0000001 2.7182817 3.4028235e38 16777216 1e10 -1e-45 inf -inf nan
//# in Y f32: -inf -inf 0 nan -0.6931472 0.6931472 2.3025851 4.6051702 6.9077554 -103.27893 -87.49823 -92.10341 -5.9604645e-8 1.1920928e-7 0.99999994 88.72284 16.635532 23.02585 nan inf nan nan
#define CALL(x) log(x)
#include "functions/one.hlsli"

//--- log2-of-powers-of-two-is-exact
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 2 1e1 1e2 1e3 1e-45 1e-38 1e-40 0.99999994 1.0000001 2.7182817 3.4028235e38 16777216 1e10 -1e-45 inf -inf nan
//# in Y f32: -inf -inf 0 nan -1 1 3.321928 6.643856 9.965784 -149 -126.23327 -132.87714 -8.599133e-8 1.7198263e-7 1.442695 128 24 33.21928 nan inf nan nan
#define CALL(x) log2(x)
#include "functions/one.hlsli"

//--- log10-of-powers-of-ten-is-exact
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 2 1e1 1e2 1e3 1e-45 1e-38 1e-40 0.99999994 1.0000001 2.7182817 3.4028235e38 16777216 1e10 -1e-45 inf -inf nan
//# in Y f32: -inf -inf 0 nan -0.30103 0.30103 1 2 3 -44.85347 -38 -40.000004 -2.5885969e-8 5.1771934e-8 0.43429446 38.53184 7.22472 1e1 nan inf nan nan
#define CALL(x) log10(x)
#include "functions/one.hlsli"

//--- sqrt-keeps-the-sign-of-zero
//# args -enable-16bit-types
//# in X f32: 0 -0 1 2 4 0.25 1e-45 1e-38 3.4028235e38 1e1 1e10 -1 -1e-45 inf -inf nan
//# in Y f32: 0 -0 1 1.4142135 2 0.5 3.743392e-23 1e-19 1.8446743e19 3.1622777 1e5 nan nan inf nan nan
#define CALL(x) sqrt(x)
#include "functions/one.hlsli"

//--- rsqrt-of-zero-is-infinite
//# args -enable-16bit-types
//# in X f32: 0 -0 1 2 4 0.25 1e-45 1e-38 3.4028235e38 1e1 1e10 -1 -1e-45 inf -inf nan
//# in Y f32: inf -inf 1 0.70710677 0.5 2 2.6713738e22 1e19 5.421011e-20 0.31622776 1e-5 nan nan 0 nan nan
#define CALL(x) rsqrt(x)
#include "functions/one.hlsli"

//--- rcp-of-zero-is-infinite-with-its-sign
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 2 3 -1e1 1e-45 1e-38 2.938736e-39 2.938736e-39 3.4028235e38 1e38 inf -inf nan
//# in Y f32: inf -inf 1 -1 0.5 0.33333334 -0.1 inf 1.0000001e38 inf inf 2.938736e-39 1.0000001e-38 0 -0 nan
#define CALL(x) rcp(x)
#include "functions/one.hlsli"

//--- pow-is-exp2-of-y-times-log2-of-x
//# args -enable-16bit-types
//# in A f32: 2 2 1e1 9 0 -0 0 0 1 1 -8 -1 2 2 2 0.5 1.0000001 0.99999994 inf inf inf 3 2 0.5 nan 1 1e-45
//# in B f32: 1e1 0.5 -3 1.5 2 3 -2 0 1e30 inf 3 0.5 -149 -1.5e2 128 1.5e2 1e8 -1e9 0 -1 2 0 inf inf 0 nan 0.5
//# in Y f32: 1024 1.4142135 0.001 27 0 0 inf nan 1 nan nan nan 1e-45 0 inf 0 150381.14 7.690757e25 nan 0 inf 1 inf 0 nan nan 3.743392e-23
#define CALL(a, b) pow(a, b)
#include "functions/two.hlsli"
