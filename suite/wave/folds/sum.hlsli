// Sums of small numbers of both signs.
#define IDENTITY 0
T value(uint lane) { return (T)((int)(lane * 5 % 7) - 3); }
T fold(T a, T b) { return (T)(a + b); }
