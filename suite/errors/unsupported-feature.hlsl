// An unsupported feature is reported where it is used, and nowhere else.

//--- a-texture-buffer-beyond-the-limit-of-constant-buffers
tbuffer Table { float4 rows[4097]; } //~ unsupported[unsupported-feature]: texture buffers of more than 65536 bytes
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float first = rows[t].x;
}
//| FILE:2:9: unsupported: texture buffers of more than 65536 bytes are not supported yet [unsupported-feature]
//|   |
//| 2 | tbuffer Table { float4 rows[4097]; }
//|   |         ^^^^^

//--- a-method-that-is-not-built-yet
Texture2DMS<float4> image;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    float2 p = image.GetSamplePosition(0); //~ unsupported[unsupported-feature]: GetSamplePosition
}
//| FILE:5:16: unsupported: `GetSamplePosition` of a `Texture2DMS<float4>` is not supported yet [unsupported-feature]
//|   |
//| 5 |     float2 p = image.GetSamplePosition(0);
//|   |                ^^^^^^^^^^^^^^^^^^^^^^^^^^
