//! The methods of textures: which overloads there are, by the kind of the texture.

use ops::texture::Dim;

use super::{Param, accept};
use crate::library::resolve::count_message;
use crate::library::{ArgInfo, Method, Resolution, TextureMethod};
use crate::types::{Mode, ResourceType, Scalar, TextureDim, Type, TypeId, Types};

/// The methods of textures that are read.
const READ: &[&str] = &[
    "CalculateLevelOfDetail",
    "CalculateLevelOfDetailUnclamped",
    "Gather",
    "GatherAlpha",
    "GatherBlue",
    "GatherCmp",
    "GatherCmpAlpha",
    "GatherCmpBlue",
    "GatherCmpGreen",
    "GatherCmpRed",
    "GatherGreen",
    "GatherRed",
    "GetDimensions",
    "Load",
    "Sample",
    "SampleBias",
    "SampleCmp",
    "SampleCmpBias",
    "SampleCmpGrad",
    "SampleCmpLevel",
    "SampleCmpLevelZero",
    "SampleGrad",
    "SampleLevel",
];

/// The properties of a texture type.
#[derive(Clone, Copy)]
pub(super) struct Texture {
    pub(super) dim: TextureDim,
    pub(super) element: TypeId,
    pub(super) writable: bool,
}

/// The optional arguments after those that an overload requires.
#[derive(Clone, Copy)]
enum Tail {
    Status,
    Offset,
    OffsetAndLeast,
    Gather,
    None,
}

impl TextureDim {
    /// As `ops` represents it.
    pub fn dim(self) -> Dim {
        match self {
            TextureDim::D1 => Dim::D1,
            TextureDim::D1Array => Dim::D1Array,
            TextureDim::D2 => Dim::D2,
            TextureDim::D2Array => Dim::D2Array,
            TextureDim::D2Ms => Dim::D2Ms,
            TextureDim::D2MsArray => Dim::D2MsArray,
            TextureDim::D3 => Dim::D3,
            TextureDim::Cube => Dim::Cube,
            TextureDim::CubeArray => Dim::CubeArray,
        }
    }
}

pub(super) fn names(texture: Texture) -> impl Iterator<Item = &'static str> {
    let dim = texture.dim.dim();
    READ.iter().copied().filter(move |name| exists(texture, dim, name))
}

/// Whether that kind of texture has a method of that name.
fn exists(texture: Texture, dim: Dim, name: &str) -> bool {
    match name {
        "GetDimensions" => true,
        "Load" => !dim.is_cube(),
        _ if texture.writable || dim.is_multisampled() => false,
        _ if name.starts_with("Gather") => dim.axes() == 2,
        _ if name.starts_with("SampleCmp") => dim != Dim::D3,
        _ => READ.contains(&name),
    }
}

pub(super) fn resolve(
    types: &mut Types,
    texture: Texture,
    name: &str,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let dim = texture.dim.dim();
    if !exists(texture, dim, name) {
        return Resolution::Unknown;
    }
    let layer = u32::from(dim.is_array());
    let axes = dim.axes() as u32;
    let float = |types: &mut Types, n| sized(types, Scalar::F32, n);
    let at = ("location", float(types, dim.sample_axes() as u32 + layer), Mode::In);
    let sampler = |types: &mut Types, comparison| {
        let ty = types.intern(Type::Resource(ResourceType::Sampler { comparison }));
        ("sampler", ty, Mode::In)
    };
    let gradient = float(types, dim.sample_axes() as u32);
    let number = |name| (name, Types::FLOAT, Mode::In);
    let component = match name.trim_start_matches("GatherCmp").trim_start_matches("Gather") {
        "Green" => 1,
        "Blue" => 2,
        "Alpha" => 3,
        _ => 0,
    };
    let scalar = types.scalar_of(texture.element).unwrap_or(Scalar::F32);
    let four = types.vector(scalar, 4);
    let four_floats = types.vector(Scalar::F32, 4);

    use TextureMethod as M;
    let (method, params, tail, result): (M, Vec<Param>, Tail, TypeId) = match name {
        "GetDimensions" => return dimensions(types, texture, dim, args),
        "Load" => {
            let level = u32::from(!texture.writable && !dim.is_multisampled());
            let place = sized(types, Scalar::I32, axes + layer + level);
            let mut params = vec![("location", place, Mode::In)];
            if dim.is_multisampled() {
                params.push(("sample", Types::INT, Mode::In));
            }
            let tail = if texture.writable { Tail::Status } else { Tail::Offset };
            (M::Load, params, tail, texture.element)
        }
        "Sample" => {
            let params = vec![sampler(types, false), at];
            (M::Sample, params, Tail::OffsetAndLeast, texture.element)
        }
        "SampleBias" => {
            let params = vec![sampler(types, false), at, number("bias")];
            (M::SampleBias, params, Tail::OffsetAndLeast, texture.element)
        }
        "SampleLevel" => {
            let params = vec![sampler(types, false), at, number("level")];
            (M::SampleLevel, params, Tail::Offset, texture.element)
        }
        "SampleGrad" => {
            let gradients = [("ddx", gradient, Mode::In), ("ddy", gradient, Mode::In)];
            let params = [sampler(types, false), at].into_iter().chain(gradients).collect();
            (M::SampleGrad, params, Tail::OffsetAndLeast, texture.element)
        }
        "SampleCmp" => {
            let params = vec![sampler(types, true), at, number("compare")];
            (M::SampleCmp, params, Tail::OffsetAndLeast, Types::FLOAT)
        }
        "SampleCmpBias" => {
            let params = vec![sampler(types, true), at, number("compare"), number("bias")];
            (M::SampleCmpBias, params, Tail::OffsetAndLeast, Types::FLOAT)
        }
        "SampleCmpLevel" => {
            let params = vec![sampler(types, true), at, number("compare"), number("level")];
            (M::SampleCmpLevel, params, Tail::Offset, Types::FLOAT)
        }
        "SampleCmpLevelZero" => {
            let params = vec![sampler(types, true), at, number("compare")];
            (M::SampleCmpLevelZero, params, Tail::Offset, Types::FLOAT)
        }
        "SampleCmpGrad" => {
            let gradients = [("ddx", gradient, Mode::In), ("ddy", gradient, Mode::In)];
            let first = [sampler(types, true), at, number("compare")];
            let params = first.into_iter().chain(gradients).collect();
            (M::SampleCmpGrad, params, Tail::OffsetAndLeast, Types::FLOAT)
        }
        "CalculateLevelOfDetail" | "CalculateLevelOfDetailUnclamped" => {
            // Both kinds of samplers have a level of detail.
            let comparing = sampler(types, true);
            let is_comparing = args.first().is_some_and(|arg| arg.ty == comparing.1);
            let params = vec![sampler(types, is_comparing), ("location", gradient, Mode::In)];
            let clamped = name == "CalculateLevelOfDetail";
            (M::CalculateLevelOfDetail { clamped }, params, Tail::None, Types::FLOAT)
        }
        _ if name.starts_with("GatherCmp") => {
            let params = vec![sampler(types, true), at, number("compare")];
            (M::GatherCmp { component }, params, Tail::Gather, four_floats)
        }
        _ => {
            let params = vec![sampler(types, false), at];
            (M::Gather { component }, params, Tail::Gather, four)
        }
    };
    let offset = sized(types, Scalar::I32, axes);
    with_tail(types, name, Method::Texture(method), (params, tail), (dim, offset), result, args)
}

/// Matches as many of the optional arguments as are given.
fn with_tail(
    types: &Types,
    name: &str,
    method: Method,
    (mut params, tail): (Vec<Param>, Tail),
    (dim, offset_ty): (Dim, TypeId),
    result: TypeId,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let offset = ("offset", offset_ty, Mode::In);
    let least = ("clamp", Types::FLOAT, Mode::In);
    let status = ("status", Types::UINT, Mode::Out);
    // Offsets do not reach from one face of a cube to another.
    let offsets = if dim.is_cube() { vec![] } else { vec![offset] };
    let tails: Vec<Vec<Param>> = match tail {
        Tail::None => vec![vec![]],
        Tail::Status => vec![vec![], vec![status]],
        Tail::Offset => vec![vec![], offsets.clone(), [offsets, vec![status]].concat()],
        Tail::OffsetAndLeast => {
            let with_least = [offsets.clone(), vec![least]].concat();
            vec![vec![], offsets, with_least.clone(), [with_least, vec![status]].concat()]
        }
        Tail::Gather if dim.is_cube() => vec![vec![], vec![status]],
        Tail::Gather => vec![
            vec![],
            vec![offset],
            vec![offset, status],
            vec![offset; 4],
            [vec![offset; 4], vec![status]].concat(),
        ],
    };
    let count = params.len();
    let mut counts: Vec<usize> = tails.iter().map(|tail| count + tail.len()).collect();
    counts.dedup();
    match tails.into_iter().find(|tail| count + tail.len() == args.len()) {
        Some(tail) => params.extend(tail),
        None => {
            let message = count_message(name, &counts, args.len());
            return Resolution::Mismatch { message, notes: Vec::new() };
        }
    }
    accept(types, name, method, &params, result, args)
}

/// The sizes come as `uint`s or, where the first place for one is a `float`, as floats.
fn dimensions(
    types: &mut Types,
    texture: Texture,
    dim: Dim,
    args: &[ArgInfo],
) -> Resolution<Method> {
    const NAME: &str = "GetDimensions";
    let sizes = dim.axes() + usize::from(dim.is_array());
    let has_level = !texture.writable && !dim.is_multisampled() && args.len() == sizes + 2;
    let outs = if dim.is_multisampled() || has_level { sizes + 1 } else { sizes };
    if args.len() != outs + usize::from(has_level) {
        let counts = if texture.writable || dim.is_multisampled() {
            vec![outs]
        } else {
            vec![sizes, sizes + 2]
        };
        let message = count_message(NAME, &counts, args.len());
        return Resolution::Mismatch { message, notes: Vec::new() };
    }
    let first = args[usize::from(has_level)].ty;
    let is_float = types.scalar_of(first).is_some_and(Scalar::is_float);
    let ty = if is_float { Types::FLOAT } else { Types::UINT };
    let mut params: Vec<Param> = Vec::new();
    if has_level {
        params.push(("level", Types::UINT, Mode::In));
    }
    params.extend(std::iter::repeat_n(("size", ty, Mode::Out), outs));
    accept(types, NAME, Method::Texture(TextureMethod::GetDimensions), &params, Types::VOID, args)
}

/// A number or a vector of numbers.
fn sized(types: &mut Types, scalar: Scalar, n: u32) -> TypeId {
    if n == 1 { types.scalar(scalar) } else { types.vector(scalar, n) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::testing::{args, describe};

    /// The overload selected by a call; `S` and `C` are a sampler and a comparison sampler.
    fn outcome(dim: TextureDim, element: &str, writable: bool, call: &str) -> String {
        let types = &mut Types::new();
        let element = crate::library::testing::ty(types, element);
        let (name, list) = call.trim_end_matches(')').split_once('(').unwrap();
        let mut infos = Vec::new();
        for word in list.split(", ").filter(|it| !it.is_empty()) {
            infos.extend(match word {
                "S" | "C" => {
                    let sampler = ResourceType::Sampler { comparison: word == "C" };
                    let ty = types.intern(Type::Resource(sampler));
                    vec![ArgInfo { ty, is_place: false, span: diag::Span::NONE }]
                }
                word => args(types, word),
            });
        }
        match resolve(types, Texture { dim, element, writable }, name, &infos) {
            Resolution::Unknown => "unknown".to_owned(),
            Resolution::Mismatch { message, .. } => message,
            Resolution::Found { params, result, .. } => describe(types, &params, result),
        }
    }

    #[test]
    fn overloads_follow_the_kind_of_the_texture() {
        use TextureDim::*;
        for (dim, call, expected) in [
            (D2, "Load(int3)", "(int3) float4"),
            (D2, "Load(uint3, literal int)", "(int3, int2) float4"),
            (D1Array, "Load(int3, int, out uint)", "(int3, int, out uint) float4"),
            (D2Ms, "Load(int2, uint)", "(int2, int) float4"),
            (Cube, "Load(int3)", "unknown"),
            (D2, "Sample(S, float2)", "(SamplerState, float2) float4"),
            (D3, "Sample(S, float3, int3, float)", "(SamplerState, float3, int3, float) float4"),
            (CubeArray, "Sample(S, float4, float)", "(SamplerState, float4, float) float4"),
            (D2Ms, "Sample(S, float2)", "unknown"),
            (
                D2Array,
                "SampleLevel(S, float3, literal int)",
                "(SamplerState, float3, float) float4",
            ),
            (
                Cube,
                "SampleGrad(S, float3, float3, float3)",
                "(SamplerState, float3, float3, float3) float4",
            ),
            (
                D2,
                "SampleCmpLevelZero(C, float2, float)",
                "(SamplerComparisonState, float2, float) float",
            ),
            (D3, "SampleCmp(C, float3, float)", "unknown"),
            (D2, "Gather(S, float2, int2)", "(SamplerState, float2, int2) float4"),
            (
                D2,
                "GatherBlue(S, float2, int2, int2, int2, int2)",
                "(SamplerState, float2, int2, int2, int2, int2) float4",
            ),
            (D1, "Gather(S, float)", "unknown"),
            (
                Cube,
                "Gather(S, float3, int2)",
                "`status` of `Gather` is written, so it must be a variable",
            ),
            (D2Array, "CalculateLevelOfDetail(S, float2)", "(SamplerState, float2) float"),
            (
                D2,
                "CalculateLevelOfDetailUnclamped(C, float2)",
                "(SamplerComparisonState, float2) float",
            ),
            (D2, "GetDimensions(out uint, out uint)", "(out uint, out uint) void"),
            (
                D2Array,
                "GetDimensions(literal int, out uint, out uint, out uint, out uint)",
                "(uint, out uint, out uint, out uint, out uint) void",
            ),
            (D1, "GetDimensions(out float)", "(out float) void"),
            (
                D2,
                "GetDimensions(out uint)",
                "`GetDimensions` takes 2 or 4 arguments, but 1 was given",
            ),
            (D2, "Sample(S)", "`Sample` takes 2 or 3 or 4 or 5 arguments, but 1 was given"),
            (
                D2,
                "SampleCmp(S, float2, float)",
                "`sampler` of `SampleCmp` must be `SamplerComparisonState`, but this is `SamplerState`",
            ),
            (D2, "Simple(S, float2)", "unknown"),
        ] {
            assert_eq!(outcome(dim, "float4", false, call), expected, "{call}");
        }
        assert_eq!(
            outcome(D2, "uint2", false, "GatherRed(S, float2)"),
            "(SamplerState, float2) uint4"
        );
        assert_eq!(outcome(D2, "uint2", true, "Load(int2)"), "(int2) uint2");
        assert_eq!(outcome(D2, "float", true, "Sample(S, float2)"), "unknown");
        assert_eq!(
            outcome(D3, "float", true, "GetDimensions(out uint, out uint, out uint)"),
            "(out uint, out uint, out uint) void"
        );
    }
}
