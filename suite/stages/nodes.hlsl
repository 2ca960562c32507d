// Work graphs: their nodes are checked, and do not affect compute shaders.

//--- a-file-of-nodes
#include "nodes.hlsli"
[numthreads(WIDTH, 1, 1)]
void main(uint lane : SV_GroupIndex) {
    Small small = { lane };
    EXPECT_EQ(small.value, WaveGetLaneIndex());
}

//--- all-nodes-of-a-library
//# args -T lib_6_8
#include "nodes.hlsli"

//--- an-input-of-another-launch
//# args -T lib_6_8 -E f
struct R { uint x; };
[Shader("node")]
[NodeLaunch("thread")]
void f(DispatchNodeInputRecord<R> input) {} //~ error[bad-entry-point]: `[NodeLaunch("broadcasting")]`
//| FILE:6:35: error: a `DispatchNodeInputRecord` needs `[NodeLaunch("broadcasting")]`, but this node has `"thread"` [bad-entry-point]
//|   |
//| 6 | void f(DispatchNodeInputRecord<R> input) {}
//|   |                                   ^^^^^

//--- a-node-without-a-grid
//# args -T lib_6_8 -E f
struct R { uint x; };
[Shader("node")]
[NumThreads(4, 1, 1)]
void f(DispatchNodeInputRecord<R> input) {} //~ error[bad-entry-point]: needs `[NodeDispatchGrid]`
//| FILE:6:6: error: a broadcasting node needs `[NodeDispatchGrid]` or `[NodeMaxDispatchGrid]` [bad-entry-point]
//|   |
//| 6 | void f(DispatchNodeInputRecord<R> input) {}
//|   |      ^
//|   |
//|   = help: for example `[NodeDispatchGrid(4, 1, 1)]`

//--- a-launch-that-is-not-there
//# args -T lib_6_8 -E f
[Shader("node")]
[NodeLaunch("threads")] //~ error[bad-attribute]: cannot be
void f() {}
//| FILE:4:13: error: `NodeLaunch` cannot be `"threads"` [bad-attribute]
//|   |
//| 4 | [NodeLaunch("threads")]
//|   |             ^^^^^^^^^
//|   |
//|   = help: a similar word is `"thread"`
//|   |
//| 4 - [NodeLaunch("threads")]
//| 4 + [NodeLaunch("thread")]

//--- an-older-shader-model
//# args -T lib_6_6 -E f
struct R { uint x; };
[Shader("node")]
[NodeLaunch("thread")]
void f(ThreadNodeInputRecord<R> input) {
    uint x = input.Get().x; //~ error[needs-shader-model]: `ThreadNodeInputRecord` requires shader model 6.8, but the profile has 6.6
}
