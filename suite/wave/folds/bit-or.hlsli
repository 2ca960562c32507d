// Each lane holds one bit.
#define IDENTITY 0
T value(uint lane) { return (T)(1u << (lane * 3 % 13)); }
T fold(T a, T b) { return (T)(a | b); }
