// An unsupported feature is reported where it is used, and nowhere else.

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
