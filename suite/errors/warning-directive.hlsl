// `#warning` shows a message of the source.

//--- a-source-that-warns
#warning look out //~ warning[warning-directive]: look out
[numthreads(WIDTH, 1, 1)]
void main() {
    EXPECT(true);
}
//| FILE:2:2: warning: look out [warning-directive]
//|   |
//| 2 | #warning look out
//|   |  ^^^^^^^
