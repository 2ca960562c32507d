// Initialisers of groupshared variables, and of globals that the host sets, have no effect.

//--- a-loose-variable-with-a-value
uint threshold = 5; //~ warning[initializer-ignored]: `threshold`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT(true);
}
//| FILE:2:18: warning: the initialiser of `threshold` has no effect, since the host sets it [initializer-ignored]
//|   |
//| 2 | uint threshold = 5;
//|   |                  ^
//|   |
//|   = help: declare it `static` to make it a variable of the program

//--- groupshared-memory-starts-empty
groupshared uint total = 0; //~ warning[initializer-ignored]: `total`
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    if (t == 0) total = 5;
    GroupMemoryBarrierWithGroupSync();
    EXPECT_EQ(total, 5);
}
//| FILE:2:26: warning: the initialiser of `total` has no effect, since groupshared memory starts uninitialised [initializer-ignored]
//|   |
//| 2 | groupshared uint total = 0;
//|   |                          ^
//|   |
//|   = help: let one thread of the group write it, followed by a barrier

//--- states-of-a-sampler
//# sampler nearest linear
//# texture Picture R32_FLOAT 1x1
SamplerState nearest { Filter = MIN_MAG_MIP_POINT; }; //~ warning[initializer-ignored]: `nearest`
Texture2D<float> Picture;
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    EXPECT_EQ(Picture.SampleLevel(nearest, float2(0, 0), 0), 0);
}
//| FILE:4:22: warning: the state block of `nearest` has no effect, since the host sets samplers [initializer-ignored]
//|   |
//| 4 | SamplerState nearest { Filter = MIN_MAG_MIP_POINT; };
//|   |                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
//|   |
//|   = help: a `StaticSampler` in the root signature sets a sampler in the source
