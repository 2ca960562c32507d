// Holds a macro that does not work.
#define BROKEN(x) (nothing + (x))
