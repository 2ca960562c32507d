// What follows a complete directive has no effect.

//--- text-behind-an-endif
#ifdef WIDTH
#endif WIDTH //~ warning[extra-tokens]:
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}
