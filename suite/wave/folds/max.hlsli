// Maxima of numbers of both signs; IDENTITY is the smallest T.
T value(uint lane) { return (T)((int)(lane * 5 % 11) - 4); }
T fold(T a, T b) { return (T)(a > b ? a : b); }
