// Products that stay small: a few lanes hold -2, the others 1.
#define IDENTITY 1
T value(uint lane) { return (T)(lane % 16 == 2 ? -2 : 1); }
T fold(T a, T b) { return (T)(a * b); }
