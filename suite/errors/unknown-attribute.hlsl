// Unknown attributes are ignored, with a warning.

//--- an-attribute-nobody-knows
[fastest] //~ warning[unknown-attribute]: `fastest`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(true);
}
//| FILE:2:2: warning: the attribute `fastest` has no effect here [unknown-attribute]
//|   |
//| 2 | [fastest]
//|   |  ^^^^^^^
