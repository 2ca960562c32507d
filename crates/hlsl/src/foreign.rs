//! Names from other shading languages, for their users: one row for each.
//!
//! Only names without a meaning in HLSL are listed. They are looked up only after an error. Wave functions follow
//! rules, which are in `waves`.

mod names;
mod waves;

use std::borrow::Cow;

/// A name from another language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Empty for a name that is only guessed.
    pub language: &'static str,
    pub hlsl: Hlsl,
}

/// Its equivalent in HLSL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hlsl {
    /// The same thing under another name; a function takes the same arguments.
    Name(&'static str),
    /// Something that is written differently.
    Text(Cow<'static, str>),
}

impl Foreign {
    /// The help for the user.
    pub fn help(&self, word: &str) -> String {
        let meaning = match &self.hlsl {
            Hlsl::Name(name) => format!("it is `{name}`"),
            Hlsl::Text(text) => text.to_string(),
        };
        match self.language {
            "" => format!("in HLSL, {meaning}"),
            language => format!("`{word}` is {language}; in HLSL, {meaning}"),
        }
    }
}

/// Looks up a name from another language.
pub fn foreign(word: &str) -> Option<Foreign> {
    let found = ROWS.iter().find(|(words, ..)| words.split(' ').any(|it| it == word));
    let found = found.map(|(_, language, hlsl)| Foreign { language, hlsl: hlsl.to_hlsl() });
    found.or_else(|| waves::wave(word))
}

/// All names of the table, and the wave functions that the specifications list.
pub fn words() -> impl Iterator<Item = &'static str> {
    let waves = names::WAVES.iter().flat_map(|it| it.1.split_whitespace());
    ROWS.iter().flat_map(|it| it.0.split(' ')).chain(waves)
}

/// [`Hlsl`] in a constant.
#[derive(Clone, Copy, Debug)]
enum Row {
    Name(&'static str),
    Text(&'static str),
}

impl Row {
    fn to_hlsl(self) -> Hlsl {
        match self {
            Name(name) => Hlsl::Name(name),
            Text(text) => Hlsl::Text(text.into()),
        }
    }
}

use Row::{Name, Text};

const GLSL: &str = "GLSL";
const CUDA: &str = "CUDA";
const METAL: &str = "Metal";
const WGSL: &str = "WGSL";
const OPENCL: &str = "OpenCL";
const EFFECTS: &str = "from effect files";
const SM3: &str = "from shader model 3";

const PROPOSED: &str = "only proposed for HLSL";

const SAMPLE: Row = Text(
    "textures and samplers are two objects: `image.Sample(smp, uv)`, `SampleBias`, `SampleGrad`, `SampleLevel`",
);
const SAMPLE_2D: Row = Text(
    "textures and samplers are two objects: `Texture2D image; SamplerState smp;` and `image.Sample(smp, uv)`, \
     `SampleBias`, `SampleGrad`, `SampleLevel`",
);

const THREAD: Row = Text("use a parameter `uint3 id : SV_DispatchThreadID`");
const IN_GROUP: Row = Text("use a parameter `uint3 id : SV_GroupThreadID`");
const GROUP: Row = Text("use a parameter `uint3 id : SV_GroupID`");
const INDEX: Row = Text("use a parameter `uint index : SV_GroupIndex`");
const SIZE: Row = Text("`[numthreads(x, y, z)]` sets the size of a group");
const ATTRIBUTE: Row = Text("write `[numthreads(x, y, z)]` before the entry point");
const POINTER: Row =
    Text("buffers are declared outside of functions: `RWStructuredBuffer<T> data;`");

/// Names, their language, and their equivalent in HLSL.
const ROWS: &[(&str, &str, Row)] = &[
    // Types.
    ("vec2", GLSL, Name("float2")),
    ("vec3", GLSL, Name("float3")),
    ("vec4", GLSL, Name("float4")),
    ("ivec2", GLSL, Name("int2")),
    ("ivec3", GLSL, Name("int3")),
    ("ivec4", GLSL, Name("int4")),
    ("uvec2", GLSL, Name("uint2")),
    ("uvec3", GLSL, Name("uint3")),
    ("uvec4", GLSL, Name("uint4")),
    ("bvec2", GLSL, Name("bool2")),
    ("bvec3", GLSL, Name("bool3")),
    ("bvec4", GLSL, Name("bool4")),
    ("dvec2", GLSL, Name("double2")),
    ("dvec3", GLSL, Name("double3")),
    ("dvec4", GLSL, Name("double4")),
    ("mat2", GLSL, Name("float2x2")),
    ("mat3", GLSL, Name("float3x3")),
    ("mat4", GLSL, Name("float4x4")),
    ("f32", WGSL, Name("float")),
    ("f16", WGSL, Name("half")),
    ("i32", WGSL, Name("int")),
    ("u32", WGSL, Name("uint")),
    ("vec2f", WGSL, Name("float2")),
    ("vec3f", WGSL, Name("float3")),
    ("vec4f", WGSL, Name("float4")),
    ("vec2i", WGSL, Name("int2")),
    ("vec3i", WGSL, Name("int3")),
    ("vec4i", WGSL, Name("int4")),
    ("vec2u", WGSL, Name("uint2")),
    ("vec3u", WGSL, Name("uint3")),
    ("vec4u", WGSL, Name("uint4")),
    ("mat4x4f", WGSL, Name("float4x4")),
    ("uchar", METAL, Name("uint")),
    ("size_t", "C", Name("uint")),
    (
        "char",
        "C",
        Text("the smallest integers are `uint16_t` and `int16_t`, with `-enable-16bit-types`"),
    ),
    (
        "uint8_t int8_t uint8_t2 uint8_t3 uint8_t4 int8_t2 int8_t3 int8_t4",
        PROPOSED,
        Text(
            "the smallest integers are `uint16_t` and `int16_t`, with `-enable-16bit-types`; \
             `uint8_t4_packed` and `pack_u8` hold four small ones in a word",
        ),
    ),
    ("long", "C", Name("int64_t")),
    ("ulong", METAL, Name("uint64_t")),
    ("__half", CUDA, Name("half")),
    // Thread indices.
    ("gl_GlobalInvocationID", GLSL, THREAD),
    ("gl_LocalInvocationID", GLSL, IN_GROUP),
    ("gl_WorkGroupID", GLSL, GROUP),
    ("gl_LocalInvocationIndex", GLSL, INDEX),
    ("gl_WorkGroupSize", GLSL, SIZE),
    (
        "gl_NumWorkGroups gridDim num_workgroups",
        GLSL,
        Text("the host has to pass it, for example in a constant buffer"),
    ),
    ("threadIdx", CUDA, IN_GROUP),
    ("blockIdx", CUDA, GROUP),
    ("blockDim", CUDA, SIZE),
    ("get_global_id", OPENCL, THREAD),
    ("get_local_id", OPENCL, IN_GROUP),
    ("get_group_id", OPENCL, GROUP),
    ("thread_position_in_grid", METAL, THREAD),
    ("thread_position_in_threadgroup", METAL, IN_GROUP),
    ("threadgroup_position_in_grid", METAL, GROUP),
    ("thread_index_in_threadgroup", METAL, INDEX),
    ("global_invocation_id", WGSL, THREAD),
    ("local_invocation_id", WGSL, IN_GROUP),
    ("workgroup_id", WGSL, GROUP),
    ("local_invocation_index", WGSL, INDEX),
    // Declarations.
    (
        "layout",
        GLSL,
        Text("use `: register(u0)` for resources and `[numthreads(x, y, z)]` for groups"),
    ),
    ("buffer", GLSL, Text("a writable buffer is `RWStructuredBuffer<T> data;`")),
    ("highp mediump lowp", GLSL, Text("precision is part of the type: `float`, `min16float`")),
    ("varying", GLSL, Text("values between stages are parameters with semantics")),
    ("shared", GLSL, Name("groupshared")),
    ("__shared__", CUDA, Name("groupshared")),
    ("threadgroup", METAL, Name("groupshared")),
    ("__local", OPENCL, Name("groupshared")),
    ("workgroup", WGSL, Name("groupshared")),
    (
        "__global__",
        CUDA,
        Text("an entry point is a function with `[numthreads(x, y, z)]` before it"),
    ),
    (
        "__kernel",
        OPENCL,
        Text("an entry point is a function with `[numthreads(x, y, z)]` before it"),
    ),
    ("kernel", METAL, Text("an entry point is a function with `[numthreads(x, y, z)]` before it")),
    ("__device__ __host__ __forceinline__", CUDA, Text("functions need no such qualifier")),
    ("__constant__", CUDA, Text("the host's constants are in a `cbuffer`")),
    ("__restrict__", CUDA, POINTER),
    ("device", METAL, POINTER),
    ("__global", OPENCL, POINTER),
    ("workgroup_size", WGSL, ATTRIBUTE),
    ("compute", WGSL, ATTRIBUTE),
    ("fn", WGSL, Text("a function starts with its result type: `float f(float x) { … }`")),
    ("var", WGSL, Text("a variable starts with its type: `float x = 1;`")),
    ("let", WGSL, Text("a variable starts with its type: `const float x = 1;`")),
    ("constexpr", "C++", Name("static const")),
    ("nullptr", "C++", Text("there are no pointers: pass an index into a buffer")),
    ("alignof offsetof typeid", "C++", Text("there is none; `sizeof` gives the size of a type")),
    ("move forward", "C++", Text("values are copied; an `inout` parameter passes a variable")),
    // Effect files and the HLSL of older Direct3D.
    (
        "technique technique10 technique11 fxgroup pass stateblock stateblock_state",
        EFFECTS,
        Text(
            "there is none: remove the block, and name the entry point with `-E` and the stage with `-T`",
        ),
    ),
    (
        "SetVertexShader SetPixelShader SetGeometryShader SetComputeShader CompileShader compile",
        EFFECTS,
        Text("`-E` and `-T` choose what is compiled"),
    ),
    ("tex2D tex2Dbias tex2Dgrad tex2Dlod tex2Dproj", SM3, SAMPLE_2D),
    ("tex1D tex1Dbias tex1Dgrad tex1Dlod tex1Dproj", SM3, SAMPLE),
    ("tex3D tex3Dbias tex3Dgrad tex3Dlod tex3Dproj", SM3, SAMPLE),
    ("texCUBE texCUBEbias texCUBEgrad texCUBElod texCUBEproj", SM3, SAMPLE),
    ("noise", SM3, Text("there is none: compute it, or sample a texture")),
    ("sampler_state", EFFECTS, Text("the host sets samplers: `SamplerState s : register(s0);`")),
    // Proposals for HLSL.
    (
        "ClusterID CandidateClusterID CommittedClusterID",
        PROPOSED,
        Text(
            "clusters of geometry are not supported yet: `PrimitiveIndex()` and `GeometryIndex()` identify what was hit",
        ),
    ),
    (
        "__builtin_MatVecMul __builtin_MatVecMulAdd __builtin_OuterProductAccumulate __builtin_VectorAccumulate",
        PROPOSED,
        Text(
            "a loop over `dot` multiplies a matrix and a vector; `vector<T, N>` has up to 1024 components from shader model 6.9 on",
        ),
    ),
    // Functions.
    ("mix", GLSL, Name("lerp")),
    ("fract", GLSL, Name("frac")),
    ("mod", GLSL, Name("fmod")),
    ("inversesqrt inverseSqrt", GLSL, Name("rsqrt")),
    ("dFdx", GLSL, Name("ddx")),
    ("dFdy", GLSL, Name("ddy")),
    ("dpdx", WGSL, Name("ddx")),
    ("dpdy", WGSL, Name("ddy")),
    ("atan2f", CUDA, Name("atan2")),
    ("sqrtf", CUDA, Name("sqrt")),
    ("fminf", CUDA, Name("min")),
    ("fmaxf", CUDA, Name("max")),
    ("fmin", METAL, Name("min")),
    ("fmax", METAL, Name("max")),
    ("rsqrtf", CUDA, Name("rsqrt")),
    ("fabs fabsf", CUDA, Name("abs")),
    ("powf", CUDA, Name("pow")),
    ("expf __expf", CUDA, Name("exp")),
    ("bitCount countOneBits", GLSL, Name("countbits")),
    ("popcount", METAL, Name("countbits")),
    ("__popc", CUDA, Name("countbits")),
    ("__ffs", CUDA, Name("firstbitlow")),
    ("__clz", CUDA, Text("`31 - firstbithigh(x)` counts leading zeros")),
    ("clz", METAL, Text("`31 - firstbithigh(x)` counts leading zeros")),
    ("findLSB firstTrailingBit", GLSL, Name("firstbitlow")),
    ("findMSB firstLeadingBit", GLSL, Name("firstbithigh")),
    ("bitfieldReverse", GLSL, Name("reversebits")),
    ("floatBitsToUint", GLSL, Name("asuint")),
    ("floatBitsToInt", GLSL, Name("asint")),
    ("uintBitsToFloat intBitsToFloat", GLSL, Name("asfloat")),
    ("as_type", METAL, Text("`asuint`, `asint` and `asfloat` reinterpret the bits")),
    ("bitcast", WGSL, Text("`asuint`, `asint` and `asfloat` reinterpret the bits")),
    ("__float_as_uint", CUDA, Name("asuint")),
    ("__uint_as_float __int_as_float", CUDA, Name("asfloat")),
    ("packHalf2x16 unpackHalf2x16", GLSL, Text("`f32tof16` and `f16tof32` convert one value each")),
    (
        "texture textureLod texelFetch imageLoad imageStore textureLoad textureStore",
        GLSL,
        Text("textures have methods: `image.SampleLevel(…)`, `image.Load(…)`, `image[id] = …`"),
    ),
    (
        "lessThan greaterThan equal notEqual",
        GLSL,
        Text("`<`, `>`, `==` and `!=` compare vectors component-wise"),
    ),
    // Barriers and atomics.
    ("barrier", "GLSL and OpenCL", Name("GroupMemoryBarrierWithGroupSync")),
    ("CLK_LOCAL_MEM_FENCE", OPENCL, Text("`GroupMemoryBarrierWithGroupSync()` takes no flags")),
    ("CLK_GLOBAL_MEM_FENCE", OPENCL, Text("`DeviceMemoryBarrierWithGroupSync()` takes no flags")),
    ("mem_flags", METAL, Text("`GroupMemoryBarrierWithGroupSync()` takes no flags")),
    ("memoryBarrierShared groupMemoryBarrier", GLSL, Name("GroupMemoryBarrier")),
    ("memoryBarrier", GLSL, Name("AllMemoryBarrier")),
    ("__syncthreads", CUDA, Name("GroupMemoryBarrierWithGroupSync")),
    ("__threadfence", CUDA, Name("DeviceMemoryBarrier")),
    ("threadgroup_barrier", METAL, Name("GroupMemoryBarrierWithGroupSync")),
    ("workgroupBarrier", WGSL, Name("GroupMemoryBarrierWithGroupSync")),
    ("storageBarrier", WGSL, Name("DeviceMemoryBarrierWithGroupSync")),
    (
        "atomicAdd atomicMin atomicMax atomicAnd atomicOr atomicXor atomicExchange atomicExch",
        GLSL,
        Text(
            "`InterlockedAdd(place, value, before)` and its like give the earlier value in an `out` argument",
        ),
    ),
    (
        "atomicCompSwap atomicCAS",
        GLSL,
        Text("it is `InterlockedCompareExchange(place, compared, value, before)`"),
    ),
    (
        "atomic_fetch_add_explicit atomic_add atomic_inc",
        METAL,
        Text("it is `InterlockedAdd(place, value, before)`"),
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;

    #[test]
    fn names_are_unique_and_their_equivalents_exist() {
        let mut words: Vec<&str> = ROWS.iter().flat_map(|it| it.0.split(' ')).collect();
        words.sort_unstable();
        assert!(words.windows(2).all(|it| it[0] != it[1]), "{words:?}");
        let is_wave = |name: &str| ops::intrinsics::by_name(name).is_some();
        let types = |name: &str| {
            crate::parse::is_builtin_type(name) || name == "groupshared" || name == "static const"
        };
        for (words, _, hlsl) in ROWS {
            if let Name(name) = hlsl {
                let name = name.trim_end_matches("()");
                assert!(
                    library::is_function(name) || is_wave(name) || types(name),
                    "{words}: {name}"
                );
            }
            // The parser knows two of these words as types, and the library the functions of shader model 3, without a
            // meaning.
            let is_type = |word: &str| matches!(word, "texture" | "sampler_state");
            let is_old = |word: &str| library::not_built().any(|it| it == word);
            for word in words.split(' ').filter(|it| !is_type(it) && !is_old(it)) {
                assert!(!library::is_function(word) && !is_wave(word) && !types(word), "{word}");
            }
        }
    }
}
