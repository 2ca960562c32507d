// Each lane holds many bits.
#define IDENTITY 0
T value(uint lane) { return (T)(lane * 0x9e37u); }
T fold(T a, T b) { return (T)(a ^ b); }
