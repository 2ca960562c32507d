// One run reports every mistake once, where it is, and no errors that merely follow from another.

//--- ten-mistakes-in-one-file
#define STEP 4
struct Particle { float3 position; float age; };
RWStructuredBuffer<Particle> particles : register(u0);
StructuredBuffer<float> weights : register(t0);
groupshared float tile[STEP - 4]; //~ error[bad-declaration]: at least one element
float weigh(Particle p, float scale) { return p.age * scale; }
float3 drift(Particle p) {
    return p.positon * p.age; //~ error[unknown-name]: `positon`
}
[numthreads(WIDTH, 1, 1)]
void main(uint t : SV_GroupIndex) {
    Particle p = particles[t];
    float sum = 0;
    for (uint i = 0; i < STEP; i++) {
        sum += weigh(p); //~ error[no-matching-function]: takes 2 arguments, but 1 was given
        weights[i] = sum; //~ error[not-assignable]
    }
    float3 direction = drift(p);
    direction.w = 1; //~ error[index-out-of-range]: has 3 components
    uint mask = WaveActiveBitOr(sum); //~ error[no-matching-function]
    if (direction > 0) sum = 1; //~ error[vector-condition]
    Partcle other = p; //~ error[unknown-name]: `Partcle`
    other.age = sum;
    tile[t] = other.age;
    float sum = WaveActiveSum(p.age); //~ error[duplicate-name]: `sum`
    p.position = WavePrefixSumm(direction); //~ error[unknown-name]: `WavePrefixSumm`
    particles[t] = p;
}
//| FILE:6:24: error: an array has at least one element, not 0 [bad-declaration]
//|   |
//| 6 | groupshared float tile[STEP - 4];
//|   |                        ^^^^
//|  ::: FILE:2:14: in the expansion of macro `STEP`
//|   |
//| 2 | #define STEP 4
//|   |              -
//|
//| FILE:9:14: error: `Particle` has no member `positon` [unknown-name]
//|   |
//| 3 | struct Particle { float3 position; float age; };
//|   |        -------- `Particle` is declared here
//| ...
//| 9 |     return p.positon * p.age;
//|   |              ^^^^^^^
//|   |
//|   = help: a similar name is `position`
//|   |
//| 9 -     return p.positon * p.age;
//| 9 +     return p.position * p.age;
//|
//| FILE:16:16: error: `weigh` takes 2 arguments, but 1 was given [no-matching-function]
//|    |
//|  7 | float weigh(Particle p, float scale) { return p.age * scale; }
//|    |       ----- `float weigh(Particle, float)` takes a different number of arguments
//| ...
//| 16 |         sum += weigh(p);
//|    |                ^^^^^^^^
//|
//| FILE:17:9: error: a `StructuredBuffer<float>` cannot be written [not-assignable]
//|    |
//|  5 | StructuredBuffer<float> weights : register(t0);
//|    |                         ------- declared here
//| ...
//| 17 |         weights[i] = sum;
//|    |         ^^^^^^^^^^ assigned here
//|
//| FILE:20:15: error: `float3` has 3 components, but this is component 4 [index-out-of-range]
//|    |
//| 20 |     direction.w = 1;
//|    |               ^
//|
//| FILE:21:33: error: `WaveActiveBitOr` takes an integer or a vector or matrix of them, not `float` [no-matching-function]
//|    |
//| 21 |     uint mask = WaveActiveBitOr(sum);
//|    |                                 ^^^
//|    |
//|    = note: candidate: `T WaveActiveBitOr(unsigned T value)`, the bitwise or of the values of the active lanes
//|
//| FILE:22:9: error: the condition of `if` must be a single `bool`, not `bool3` [vector-condition]
//|    |
//| 22 |     if (direction > 0) sum = 1;
//|    |         ^^^^^^^^^^^^^
//|    |
//|    = help: `any(…)` or `all(…)` reduces several to one
//|
//| FILE:23:5: error: there is no type `Partcle` [unknown-name]
//|    |
//|  3 | struct Particle { float3 position; float age; };
//|    |        -------- declared here
//| ...
//| 23 |     Partcle other = p;
//|    |     ^^^^^^^
//|    |
//|    = help: a similar name is `Particle`
//|    |
//| 23 -     Partcle other = p;
//| 23 +     Particle other = p;
//|
//| FILE:26:11: error: `sum` is already declared in this scope [duplicate-name]
//|    |
//| 14 |     float sum = 0;
//|    |           --- first declared here
//| ...
//| 26 |     float sum = WaveActiveSum(p.age);
//|    |           ^^^
//|
//| FILE:27:18: error: there is no function `WavePrefixSumm` [unknown-name]
//|    |
//| 27 |     p.position = WavePrefixSumm(direction);
//|    |                  ^^^^^^^^^^^^^^
//|    |
//|    = help: a similar name is `WavePrefixSum`
//|    |
//| 27 -     p.position = WavePrefixSumm(direction);
//| 27 +     p.position = WavePrefixSum(direction);
