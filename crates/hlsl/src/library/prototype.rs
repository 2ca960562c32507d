//! Functions and methods that are described by their prototype, in the words of HLSL:
//! `void TraceRay(RaytracingAccelerationStructure scene, uint flags, …, inout T payload)`.
//!
//! Types are spelled as numbers (`float3x4`), the language's structs and objects, and
//! - `T`: what the object holds (`NodeOutput<T>`); of a function, whatever the argument is;
//! - `Name<T>`: the object of that name with the same element;
//! - `number`: a number, vector or matrix, as it is; all of one prototype have one type.
//!
//! Parameters with a `?` after their name are optional, the last first. What the functions do is not described here.

use super::resolve::{count_message, passes};
use super::{ArgInfo, objects};
use crate::types::convert::settled;
use crate::types::{BuiltinStruct, Mode, Object, ResourceType, Scalar, Type, TypeId, Types};

/// A parsed prototype.
pub(super) struct Prototype {
    pub(super) name: &'static str,
    result: &'static str,
    params: Vec<Param>,
}

struct Param {
    mode: Mode,
    ty: &'static str,
    name: &'static str,
    is_optional: bool,
}

/// The signature of a prototype for some arguments.
pub(super) type Signature = (Vec<(TypeId, Mode)>, TypeId);

/// The name in a prototype.
pub(super) fn name_of(text: &'static str) -> &'static str {
    let head = text.split('(').next().unwrap_or(text);
    head.rsplit(' ').next().unwrap_or(head)
}

pub(super) fn read(text: &'static str) -> Prototype {
    let (head, rest) = text.split_once('(').unwrap_or((text, ")"));
    let (result, name) = head.split_once(' ').unwrap_or(("void", head));
    let list = rest.strip_suffix(')').unwrap_or(rest);
    let params = list.split(", ").filter(|it| !it.is_empty()).map(param).collect();
    Prototype { name, result, params }
}

fn param(text: &'static str) -> Param {
    let modes = [("out ", Mode::Out), ("inout ", Mode::InOut)];
    let found = modes.iter().find_map(|(word, mode)| Some((text.strip_prefix(word)?, *mode)));
    let (text, mode) = found.unwrap_or((text, Mode::In));
    let (ty, name) = text.split_once(' ').unwrap_or((text, "value"));
    Param { mode, ty, name: name.trim_end_matches('?'), is_optional: name.ends_with('?') }
}

/// The first of some prototypes that accepts the arguments, or why none does.
pub(super) fn choose(
    types: &mut Types,
    prototypes: &[Prototype],
    element: Option<TypeId>,
    args: &[ArgInfo],
) -> Result<Signature, String> {
    let mut reason = None;
    let mut counts = Vec::new();
    for prototype in prototypes {
        let least = prototype.params.iter().filter(|it| !it.is_optional).count();
        counts.extend(least..=prototype.params.len());
        if !(least..=prototype.params.len()).contains(&args.len()) {
            continue;
        }
        match fit(types, prototype, element, args) {
            Ok(signature) => return Ok(signature),
            Err(message) => reason = reason.or(Some(message)),
        }
    }
    counts.sort_unstable();
    counts.dedup();
    let name = prototypes.first().map_or("", |it| it.name);
    Err(reason.unwrap_or_else(|| count_message(name, &counts, args.len())))
}

fn fit(
    types: &mut Types,
    prototype: &Prototype,
    element: Option<TypeId>,
    args: &[ArgInfo],
) -> Result<Signature, String> {
    let mut params = Vec::with_capacity(args.len());
    let mut number = None;
    for (param, arg) in prototype.params.iter().zip(args) {
        let wrong = |wanted: &str, types: &Types| {
            let (name, function) = (param.name, prototype.name);
            format!(
                "`{name}` of `{function}` must be {wanted}, but this is `{}`",
                types.name(arg.ty)
            )
        };
        let ty = match param.ty {
            "T" if element.is_none() => {
                if !matches!(types.get(arg.ty), Type::Struct(_) | Type::Error) {
                    return Err(wrong("a struct", types));
                }
                arg.ty
            }
            "number" => {
                let Some(scalar) = types.scalar_of(arg.ty) else {
                    return Err(wrong("a number, a vector or a matrix", types));
                };
                let given = types.with_scalar(arg.ty, settled(scalar));
                *number.get_or_insert(given)
            }
            "Texture2D" | "Texture2DArray" => match types.get(arg.ty) {
                Type::Resource(ResourceType::Texture { dim, writable: false, .. })
                    if dim.name() == param.ty =>
                {
                    arg.ty
                }
                _ => return Err(wrong(&format!("a `{}`", param.ty), types)),
            },
            word => type_of(types, word, element),
        };
        passes(types, prototype.name, param.name, param.mode, arg, ty)?;
        params.push((ty, param.mode));
    }
    let result = match prototype.result {
        "number" => number.unwrap_or(Types::FLOAT),
        word => type_of(types, word, element),
    };
    Ok((params, result))
}

/// The type that a word of a prototype names.
pub(super) fn type_of(types: &mut Types, word: &'static str, element: Option<TypeId>) -> TypeId {
    match word {
        "void" => return Types::VOID,
        "T" => return element.unwrap_or(Types::ERROR),
        "string" => return types.intern(Type::String),
        "RayDesc" => return types.builtin(BuiltinStruct::RayDesc),
        "BuiltInTrianglePositions" => return types.builtin(BuiltinStruct::TrianglePositions),
        "SamplerState" => {
            return types.intern(Type::Resource(ResourceType::Sampler { comparison: false }));
        }
        "RaytracingAccelerationStructure" => {
            return types.intern(Type::Resource(ResourceType::AccelerationStructure));
        }
        _ => {}
    }
    let bare = word.trim_end_matches("<T>");
    if let Some(row) = objects::by_name(bare) {
        let element = if bare == word { Types::VOID } else { element.unwrap_or(Types::VOID) };
        let object = Object { name: row.name, element, count: 0 };
        return types.intern(Type::Resource(ResourceType::Other(object)));
    }
    let scalars = [Scalar::Bool, Scalar::I32, Scalar::U32, Scalar::F32, Scalar::U64];
    for scalar in scalars {
        let Some(shape) = word.strip_prefix(scalar.name()) else { continue };
        let sizes: Vec<u32> = shape.split('x').filter_map(|it| it.parse().ok()).collect();
        return match (shape, sizes.as_slice()) {
            ("", _) => types.scalar(scalar),
            (_, [n]) => types.vector(scalar, *n),
            (_, [rows, columns]) => types.intern(Type::Matrix {
                scalar,
                rows: *rows,
                columns: *columns,
                row_major: false,
            }),
            _ => continue,
        };
    }
    unreachable!("a test checks every word of every prototype: `{word}`")
}

/// Whether every word of a prototype has a meaning.
#[cfg(test)]
pub(super) fn is_sound(text: &'static str) -> bool {
    let mut types = Types::new();
    let prototype = read(text);
    let words = prototype.params.iter().map(|it| it.ty).chain([prototype.result]);
    for word in words {
        if !matches!(word, "number" | "Texture2D" | "Texture2DArray") {
            type_of(&mut types, word, Some(Types::UINT));
        }
    }
    !prototype.name.is_empty() && name_of(text) == prototype.name && text.ends_with(')')
}
