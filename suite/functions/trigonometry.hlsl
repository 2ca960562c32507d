// Trigonometric and hyperbolic functions at their corner cases. Expected values are the nearest floats to the exact results.

//--- sin-of-angles-of-every-size
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 1.5707964 3.1415927 -3.1415927 4.712389 0.7853982 1e2 -1000.5 1e6 1048576 1e10 1e22 3.4028235e38 inf -inf nan
//# in Y f32: 0 -0 0.84147096 -0.84147096 0.47942555 1e-45 -1e-38 3e-5 1 -8.742278e-8 8.742278e-8 -1 0.70710677 -0.50636566 -0.99527395 -0.3499935 0.33049315 -0.48750603 -0.7340815 -0.5218765 nan nan nan
#define CALL(x) sin(x)
#include "functions/one.hlsli"

//--- cos-of-angles-of-every-size
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 1.5707964 3.1415927 -3.1415927 4.712389 0.7853982 1e2 -1000.5 1e6 1048576 1e10 1e22 3.4028235e38 inf -inf nan
//# in Y f32: 1 1 0.5403023 0.5403023 0.87758255 1 1 1 -4.371139e-8 -1 -1 1.1924881e-8 0.70710677 0.8623189 0.097106904 0.93675214 0.9438084 0.87311965 0.67906135 0.853021 nan nan nan
#define CALL(x) cos(x)
#include "functions/one.hlsli"

//--- tan-of-angles-of-every-size-has-no-pole
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 1.5707964 3.1415927 -3.1415927 4.712389 0.7853982 1e2 -1000.5 1e6 1048576 1e10 1e22 3.4028235e38 inf -inf nan
//# in Y f32: 0 -0 1.5574077 -1.5574077 0.5463025 1e-45 -1e-38 3e-5 -22877332 8.742278e-8 -8.742278e-8 -8.385828e7 1 -0.58721393 -10.249261 -0.37362444 0.35016975 -0.5583496 -1.0810239 -0.6117979 nan nan nan
#define CALL(x) tan(x)
#include "functions/one.hlsli"

//--- asin-outside-its-domain-is-nan
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 -0.5 0.70710677 0.99999994 -0.99999994 1.0000001 -2 inf -inf nan
//# in Y f32: 0 -0 1.5707964 -1.5707964 0.5235988 1e-45 -1e-38 3e-5 -0.5235988 0.7853981 1.570451 -1.570451 nan nan nan nan nan
#define CALL(x) asin(x)
#include "functions/one.hlsli"

//--- acos-outside-its-domain-is-nan
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 -0.5 0.70710677 0.99999994 -0.99999994 1.0000001 -2 inf -inf nan
//# in Y f32: 1.5707964 1.5707964 0 3.1415927 1.0471976 1.5707964 1.5707964 1.5707663 2.0943952 0.7853982 0.00034526698 3.1412473 nan nan nan nan nan
#define CALL(x) acos(x)
#include "functions/one.hlsli"

//--- atan-reaches-the-right-angle-at-infinity
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 -0.5 0.70710677 0.99999994 -0.99999994 1.0000001 -2 inf -inf nan 1e10 -3e38 16777216
//# in Y f32: 0 -0 0.7853982 -0.7853982 0.4636476 1e-45 -1e-38 3e-5 -0.4636476 0.6154797 0.7853981 -0.7853981 0.78539824 -1.1071488 1.5707964 -1.5707964 nan 1.5707964 -1.5707964 1.5707963
#define CALL(x) atan(x)
#include "functions/one.hlsli"

//--- sinh-is-exact-near-zero-and-large-far-away
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 -0.5 2.5 -1e1 44.5 88.8 89.3 89.5 -89.5 103 -104 inf -inf nan
//# in Y f32: 0 -0 1.1752012 -1.1752012 0.5210953 1e-45 -1e-38 3e-5 -0.5210953 6.0502043 -11013.232 1.0594353e19 1.8378976e38 3.030181e38 inf -inf inf -inf inf -inf nan
#define CALL(x) sinh(x)
#include "functions/one.hlsli"

//--- cosh-is-even-and-at-least-one
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 -0.5 2.5 -1e1 44.5 88.8 89.3 89.5 -89.5 103 -104 inf -inf nan
//# in Y f32: 1 1 1.5430807 1.5430807 1.127626 1 1 1 1.127626 6.1322894 11013.233 1.0594353e19 1.8378976e38 3.030181e38 inf inf inf inf inf inf nan
#define CALL(x) cosh(x)
#include "functions/one.hlsli"

//--- tanh-stays-between-minus-one-and-one
//# args -enable-16bit-types
//# in X f32: 0 -0 1 -1 0.5 1e-45 -1e-38 3e-5 -0.5 2.5 -1e1 44.5 88.8 89.3 89.5 -89.5 103 -104 inf -inf nan
//# in Y f32: 0 -0 0.7615942 -0.7615942 0.46211717 1e-45 -1e-38 3e-5 -0.46211717 0.9866143 -1 1 1 1 1 -1 1 -1 1 -1 nan
#define CALL(x) tanh(x)
#include "functions/one.hlsli"

//--- atan2-knows-all-quadrants-and-the-signs-of-zeros
//# args -enable-16bit-types
//# in A f32: 0 -0 0 -0 0 0 -0 1 -1 1 1 -1 -1 3 -0.1 1e-40 3e38 inf -inf 1 1 inf nan 1
//# in B f32: 1 1 -1 -1 0 -0 0 0 -0 1 -1 -1 1 4 1e10 1e-40 1e-38 inf -inf inf -inf 1 1 nan
//# in Y f32: 0 -0 3.1415927 -3.1415927 0 3.1415927 -0 1.5707964 -1.5707964 0.7853982 2.3561945 -2.3561945 -0.7853982 0.6435011 -1e-11 0.7853982 1.5707964 0.7853982 -2.3561945 0 3.1415927 1.5707964 nan nan
#define CALL(a, b) atan2(a, b)
#include "functions/two.hlsli"
