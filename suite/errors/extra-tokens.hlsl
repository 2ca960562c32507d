// What follows a complete directive has no effect.

//--- text-behind-an-endif
#ifdef WIDTH
#endif WIDTH //~ warning[extra-tokens]:
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}
//| FILE:3:8: warning: unexpected text after `#endif` [extra-tokens]
//|   |
//| 3 | #endif WIDTH
//|   |        ^^^^^
//|   |
//|   = help: if it is a comment, write `//` before it
