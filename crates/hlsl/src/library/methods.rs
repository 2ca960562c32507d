//! The methods of buffers, and the names of those that are not supported yet.

mod texture;

use ir::Atomic;
use ops::Sign;

use super::resolve::{count_message, passes, with_sign};
use super::{ArgInfo, Method, Resolution, objects};
use crate::types::convert::settled;
use crate::types::{Access, Mode, ResourceType, Scalar, Type, TypeId, Types};

/// A parameter: its name for messages, its type and how it is passed.
type Param = (&'static str, TypeId, Mode);

/// The atomic methods of `RWByteAddressBuffer`, without `64` and `FloatBitwise`.
const ATOMICS: &[(&str, Atomic)] = &[
    ("InterlockedAdd", Atomic::Add),
    ("InterlockedAnd", Atomic::And),
    ("InterlockedCompareExchange", Atomic::CompareExchange),
    ("InterlockedCompareStore", Atomic::CompareExchange),
    ("InterlockedExchange", Atomic::Exchange),
    ("InterlockedMax", Atomic::Max(Sign::Signed)),
    ("InterlockedMin", Atomic::Min(Sign::Signed)),
    ("InterlockedOr", Atomic::Or),
    ("InterlockedXor", Atomic::Xor),
];

pub(super) fn resolve_method(
    types: &mut Types,
    object: TypeId,
    name: &str,
    template_arg: Option<TypeId>,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let Type::Resource(resource) = types.get(object) else { return Resolution::Unknown };
    match resource {
        ResourceType::Structured { element, access } => {
            structured(types, object, element, access, name, args)
        }
        ResourceType::Raw { writable } => raw(types, writable, name, template_arg, args),
        ResourceType::Typed { element, .. } => typed(types, element, name, args),
        ResourceType::Constant(_) => Resolution::Unknown,
        ResourceType::Texture { dim, element, writable, .. } => {
            let texture = texture::Texture { dim, element, writable };
            match texture::resolve(types, texture, name, args) {
                Resolution::Unknown => unsupported(types, texture, name, args),
                found => found,
            }
        }
        ResourceType::Other(object) => objects::resolve(types, object, name, args),
        ResourceType::TextureBuffer(_)
        | ResourceType::Sampler { .. }
        | ResourceType::AccelerationStructure => Resolution::Unknown,
    }
}

/// Methods of textures that are not supported yet.
fn unsupported(
    types: &mut Types,
    texture: texture::Texture,
    name: &str,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let dim = texture.dim.dim();
    match name {
        "GetSamplePosition" if dim.is_multisampled() => {
            let result = types.vector(Scalar::F32, 2);
            let params = [("sample", Types::INT, Mode::In)];
            accept(types, name, Method::Unsupported("GetSamplePosition"), &params, result, args)
        }
        "GatherRaw" if dim.axes() == 2 && !dim.is_multisampled() && !texture.writable => {
            Resolution::Found {
                function: Method::Unsupported("GatherRaw"),
                params: args.iter().map(|arg| (arg.ty, Mode::In)).collect(),
                result: Types::ERROR,
            }
        }
        _ => Resolution::Unknown,
    }
}

/// The names that [`resolve_method`] knows for a type, for "did you mean".
pub(super) fn method_names(types: &Types, object: TypeId) -> Vec<String> {
    let Type::Resource(resource) = types.get(object) else { return Vec::new() };
    let fixed: &[&str] = match resource {
        ResourceType::Structured { access, .. } => match access {
            Access::Read => &["Load", "GetDimensions"],
            Access::ReadWrite => &["Load", "GetDimensions", "IncrementCounter", "DecrementCounter"],
            Access::Append => &["Append", "GetDimensions"],
            Access::Consume => &["Consume", "GetDimensions"],
        },
        ResourceType::Raw { writable: false } => {
            &["Load", "Load2", "Load3", "Load4", "GetDimensions"]
        }
        ResourceType::Raw { writable: true } => &[
            "Load",
            "Load2",
            "Load3",
            "Load4",
            "Store",
            "Store2",
            "Store3",
            "Store4",
            "GetDimensions",
        ],
        ResourceType::Typed { .. } => &["Load", "GetDimensions"],
        ResourceType::Other(object) => return objects::names(object).map(str::to_owned).collect(),
        ResourceType::Constant(_) => &[],
        ResourceType::Texture { dim, element, writable, .. } => {
            let texture = texture::Texture { dim, element, writable };
            return texture::names(texture).map(str::to_owned).collect();
        }
        ResourceType::TextureBuffer(_)
        | ResourceType::Sampler { .. }
        | ResourceType::AccelerationStructure => &[],
    };
    let mut names: Vec<String> = fixed.iter().map(|name| (*name).to_owned()).collect();
    if let ResourceType::Raw { writable: true } = resource {
        for (name, op) in ATOMICS {
            names.push((*name).to_owned());
            names.push(format!("{name}64"));
            if *op == Atomic::CompareExchange {
                names.push(format!("{name}FloatBitwise"));
            }
        }
        names.push("InterlockedExchangeFloat".to_owned());
    }
    names
}

fn structured(
    types: &mut Types,
    object: TypeId,
    element: TypeId,
    access: Access,
    name: &str,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let readable = matches!(access, Access::Read | Access::ReadWrite);
    match name {
        "Load" if readable => load(types, name, Method::StructuredLoad, "index", element, args),
        "GetDimensions" => {
            let params = [("count", Types::UINT, Mode::Out), ("stride", Types::UINT, Mode::Out)];
            accept(types, name, Method::GetDimensions, &params, Types::VOID, args)
        }
        "IncrementCounter" if access == Access::ReadWrite => {
            accept(types, name, Method::IncrementCounter, &[], Types::UINT, args)
        }
        "DecrementCounter" if access == Access::ReadWrite => {
            accept(types, name, Method::DecrementCounter, &[], Types::UINT, args)
        }
        "Append" if access == Access::Append => {
            accept(types, name, Method::Append, &[("value", element, Mode::In)], Types::VOID, args)
        }
        "Consume" if access == Access::Consume => {
            accept(types, name, Method::Consume, &[], element, args)
        }
        "Load" | "IncrementCounter" | "DecrementCounter" | "Append" | "Consume" => {
            let kind = match name {
                "Append" => "AppendStructuredBuffer",
                "Consume" => "ConsumeStructuredBuffer",
                _ => "RWStructuredBuffer",
            };
            other_type(types, object, name, kind)
        }
        _ => Resolution::Unknown,
    }
}

fn typed(types: &mut Types, element: TypeId, name: &str, args: &[ArgInfo]) -> Resolution<Method> {
    match name {
        "Load" => load(types, name, Method::TypedLoad, "index", element, args),
        "GetDimensions" => accept(
            types,
            name,
            Method::GetDimensions,
            &[("count", Types::UINT, Mode::Out)],
            Types::VOID,
            args,
        ),
        _ => Resolution::Unknown,
    }
}

fn raw(
    types: &mut Types,
    writable: bool,
    name: &str,
    template_arg: Option<TypeId>,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let is_store = matches!(name, "Store" | "Store2" | "Store3" | "Store4");
    let atomic = atomic(name);
    if (is_store || atomic.is_some()) && !writable {
        return Resolution::Mismatch {
            message: format!("`{name}` writes, but a `ByteAddressBuffer` is read-only"),
            notes: vec!["a `RWByteAddressBuffer` is writable".to_owned()],
        };
    }
    if template_arg.is_some() && !matches!(name, "Load" | "Store") {
        if !is_store
            && atomic.is_none()
            && !matches!(name, "Load2" | "Load3" | "Load4" | "GetDimensions")
        {
            return Resolution::Unknown;
        }
        return Resolution::Mismatch {
            message: format!("`{name}` takes no template argument"),
            notes: Vec::new(),
        };
    }
    match name {
        "Load" => match template_arg {
            Some(ty) if !is_memory(types, ty) => no_memory(types, name, ty),
            Some(ty) => load(types, name, Method::RawLoadT, "address", ty, args),
            None => load(types, name, Method::RawLoad { n: 1 }, "address", Types::UINT, args),
        },
        "Load2" | "Load3" | "Load4" => {
            let n = count_of(name);
            let result = types.vector(Scalar::U32, n);
            load(types, name, Method::RawLoad { n }, "address", result, args)
        }
        "Store" => store(types, template_arg, args),
        "Store2" | "Store3" | "Store4" => {
            let n = count_of(name);
            let value = types.vector(Scalar::U32, n);
            let params = [("address", Types::UINT, Mode::In), ("value", value, Mode::In)];
            accept(types, name, Method::RawStore { n }, &params, Types::VOID, args)
        }
        "GetDimensions" => accept(
            types,
            name,
            Method::GetDimensions,
            &[("size", Types::UINT, Mode::Out)],
            Types::VOID,
            args,
        ),
        _ => match atomic {
            Some(found) => interlocked(types, name, found, args),
            None => Resolution::Unknown,
        },
    }
}

/// `Load4` loads 4.
fn count_of(name: &str) -> u32 {
    name.chars().last().and_then(|digit| digit.to_digit(10)).unwrap_or(1)
}

/// A load may return its status.
fn load(
    types: &Types,
    name: &str,
    method: Method,
    at: &'static str,
    result: TypeId,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let params = [(at, Types::UINT, Mode::In), ("status", Types::UINT, Mode::Out)];
    let count = args.len().clamp(1, 2);
    if args.is_empty() || args.len() > 2 {
        return Resolution::Mismatch {
            message: count_message(name, &[1, 2], args.len()),
            notes: Vec::new(),
        };
    }
    accept(types, name, method, &params[..count], result, args)
}

/// Without a template argument, the type is the value's.
fn store(types: &mut Types, template_arg: Option<TypeId>, args: &[ArgInfo]) -> Resolution<Method> {
    let value = match (template_arg, args.get(1)) {
        (Some(ty), _) => ty,
        (None, Some(arg)) => match types.get(arg.ty) {
            Type::Scalar(Scalar::LiteralInt) => Types::UINT,
            _ => match types.scalar_of(arg.ty) {
                Some(scalar) => types.with_scalar(arg.ty, settled(scalar)),
                None => arg.ty,
            },
        },
        (None, None) => Types::UINT,
    };
    if !is_memory(types, value) {
        return no_memory(types, "Store", value);
    }
    let method = if value == Types::UINT { Method::RawStore { n: 1 } } else { Method::RawStoreT };
    let params = [("address", Types::UINT, Mode::In), ("value", value, Mode::In)];
    accept(types, "Store", method, &params, Types::VOID, args)
}

/// An atomic method: its operation and operand type, `None` for a 32-bit integer chosen by the arguments.
struct RawAtomic {
    op: Atomic,
    on: Option<Scalar>,
    /// Whether it returns the old value: always, never, or optionally.
    returns: Option<bool>,
}

fn atomic(name: &str) -> Option<RawAtomic> {
    let of = |base: &str, on| {
        let (_, op) = ATOMICS.iter().find(|(it, _)| *it == base)?;
        let returns = match base {
            "InterlockedCompareStore" => Some(false),
            "InterlockedCompareExchange" | "InterlockedExchange" => Some(true),
            _ => None,
        };
        Some(RawAtomic { op: *op, on, returns })
    };
    if let Some(base) = name.strip_suffix("64") {
        return of(base, Some(Scalar::U64));
    }
    if let Some(base) = name.strip_suffix("FloatBitwise") {
        return of(base, Some(Scalar::F32)).filter(|it| it.op == Atomic::CompareExchange);
    }
    if name == "InterlockedExchangeFloat" {
        return of("InterlockedExchange", Some(Scalar::F32));
    }
    of(name, None)
}

fn interlocked(
    types: &mut Types,
    name: &str,
    found: RawAtomic,
    args: &[ArgInfo],
) -> Resolution<Method> {
    let compares = found.op == Atomic::CompareExchange;
    let without = if compares { 3 } else { 2 };
    let returns = found.returns.unwrap_or(args.len() > without);
    let counts = match found.returns {
        Some(false) => vec![without],
        Some(true) => vec![without + 1],
        None => vec![without, without + 1],
    };
    if !counts.contains(&args.len()) {
        return Resolution::Mismatch {
            message: count_message(name, &counts, args.len()),
            notes: Vec::new(),
        };
    }
    // The value decides the sign; for a literal, the receiver of the old value does.
    let value = types.scalar_of(args[without - 1].ty);
    let original = if returns { types.scalar_of(args[without].ty) } else { None };
    let typed = [value, original].into_iter().flatten().find(|it| it.is_int() && !it.is_literal());
    let is_signed = typed.is_none_or(|it| it.sign() == Sign::Signed);
    let scalar = match found.on {
        Some(Scalar::U64) if is_signed => Scalar::I64,
        Some(scalar) => scalar,
        None if is_signed => Scalar::I32,
        None => Scalar::U32,
    };
    let ty = types.scalar(scalar);
    let mut params: Vec<Param> = vec![("address", Types::UINT, Mode::In)];
    if compares {
        params.push(("compare", ty, Mode::In));
    }
    params.push(("value", ty, Mode::In));
    if returns {
        params.push(("original", ty, Mode::Out));
    }
    let method = Method::RawInterlocked { op: with_sign(found.op, scalar.sign()), returns };
    accept(types, name, method, &params, Types::VOID, args)
}

fn accept(
    types: &Types,
    name: &str,
    method: Method,
    params: &[Param],
    result: TypeId,
    args: &[ArgInfo],
) -> Resolution<Method> {
    if params.len() != args.len() {
        return Resolution::Mismatch {
            message: count_message(name, &[params.len()], args.len()),
            notes: vec![prototype_of(types, name, params, result)],
        };
    }
    for ((param, ty, mode), arg) in params.iter().zip(args) {
        if let Err(message) = passes(types, name, param, *mode, arg, *ty) {
            let notes = vec![prototype_of(types, name, params, result)];
            return Resolution::Mismatch { message, notes };
        }
    }
    Resolution::Found {
        function: method,
        params: params.iter().map(|(_, ty, mode)| (*ty, *mode)).collect(),
        result,
    }
}

/// Such as `float4 Sample(SamplerState sampler, float2 location)`.
fn prototype_of(types: &Types, name: &str, params: &[Param], result: TypeId) -> String {
    let param = |(name, ty, mode): &Param| {
        let mode = if *mode == Mode::In { "" } else { "out " };
        format!("{mode}{} {name}", types.name(*ty))
    };
    let list: Vec<String> = params.iter().map(param).collect();
    format!("`{} {name}({})`", types.name(result), list.join(", "))
}

/// Whether a type has a layout in a buffer.
fn is_memory(types: &Types, ty: TypeId) -> bool {
    ty == Types::ERROR || !types.holds_resource(ty) && types.scalar_count(ty) > 0
}

fn no_memory(types: &Types, name: &str, ty: TypeId) -> Resolution<Method> {
    Resolution::Mismatch {
        message: format!(
            "`{name}` moves numbers, but `{}` does not consist of numbers",
            types.name(ty)
        ),
        notes: Vec::new(),
    }
}

fn other_type(types: &Types, object: TypeId, name: &str, kind: &str) -> Resolution<Method> {
    Resolution::Mismatch {
        message: format!("`{}` has no `{name}`", types.name(object)),
        notes: vec![format!("`{kind}` has it")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::testing::{args, describe};

    fn outcome(
        types: &mut Types,
        object: TypeId,
        template_arg: Option<TypeId>,
        call: &str,
    ) -> String {
        let (name, rest) = call.split_once('(').unwrap();
        let args = args(types, rest.trim_end_matches(')'));
        match resolve_method(types, object, name, template_arg, &args) {
            Resolution::Found { function, params, result } => {
                format!("{function:?} {}", describe(types, &params, result))
            }
            Resolution::Mismatch { message, .. } => message,
            Resolution::Unknown => "unknown".to_owned(),
        }
    }

    #[test]
    fn byte_address_buffers_load_store_and_count() {
        let mut types = Types::new();
        let buffer = types.intern(Type::Resource(ResourceType::Raw { writable: true }));
        let float3 = types.vector(Scalar::F32, 3);
        for (template_arg, call, expected) in [
            (None, "Load(int)", "RawLoad { n: 1 } (uint) uint"),
            (None, "Load3(uint)", "RawLoad { n: 3 } (uint) uint3"),
            (None, "Load(uint, out uint)", "RawLoad { n: 1 } (uint, out uint) uint"),
            (Some(float3), "Load(uint)", "RawLoadT (uint) float3"),
            (None, "Store(uint, literal int)", "RawStore { n: 1 } (uint, uint) void"),
            (None, "Store(uint, float)", "RawStoreT (uint, float) void"),
            (Some(float3), "Store(uint, float)", "RawStoreT (uint, float3) void"),
            (None, "Store4(uint, int4)", "RawStore { n: 4 } (uint, uint4) void"),
            (
                None,
                "InterlockedAdd(uint, int)",
                "RawInterlocked { op: Add, returns: false } (uint, int) void",
            ),
            (
                None,
                "InterlockedMin(uint, uint, out uint)",
                "RawInterlocked { op: Min(Unsigned), returns: true } (uint, uint, out uint) void",
            ),
            (
                None,
                "InterlockedMax(uint, literal int, out uint)",
                "RawInterlocked { op: Max(Unsigned), returns: true } (uint, uint, out uint) void",
            ),
            (
                None,
                "InterlockedOr64(uint, uint64_t)",
                "RawInterlocked { op: Or, returns: false } (uint, uint64_t) void",
            ),
            (
                None,
                "InterlockedCompareExchange(uint, uint, uint, out uint)",
                "RawInterlocked { op: CompareExchange, returns: true } (uint, uint, uint, out uint) void",
            ),
            (
                None,
                "InterlockedCompareStoreFloatBitwise(uint, float, float)",
                "RawInterlocked { op: CompareExchange, returns: false } (uint, float, float) void",
            ),
            (None, "GetDimensions(out uint)", "GetDimensions (out uint) void"),
            (None, "Load()", "`Load` takes 1 or 2 arguments, but 0 were given"),
            (
                None,
                "InterlockedExchange(uint, uint)",
                "`InterlockedExchange` takes 3 arguments, but 2 were given",
            ),
            (None, "Load5(uint)", "unknown"),
        ] {
            assert_eq!(outcome(&mut types, buffer, template_arg, call), expected, "{call}");
        }
    }

    #[test]
    fn each_kind_of_buffer_has_its_own_methods() {
        let mut types = Types::new();
        let float4 = types.vector(Scalar::F32, 4);
        let mut resource = |resource| types.intern(Type::Resource(resource));
        let raw = resource(ResourceType::Raw { writable: false });
        let [read, write, append, consume] =
            [Access::Read, Access::ReadWrite, Access::Append, Access::Consume]
                .map(|access| resource(ResourceType::Structured { element: float4, access }));
        let typed = resource(ResourceType::Typed {
            element: float4,
            writable: false,
            norm: ir::Norm::None,
        });
        let sampler = resource(ResourceType::Sampler { comparison: false });
        for (object, call, expected) in [
            (raw, "Store(uint, uint)", "`Store` writes, but a `ByteAddressBuffer` is read-only"),
            (read, "Load(literal int)", "StructuredLoad (uint) float4"),
            (read, "GetDimensions(out uint, out uint)", "GetDimensions (out uint, out uint) void"),
            (read, "IncrementCounter()", "`StructuredBuffer<float4>` has no `IncrementCounter`"),
            (write, "IncrementCounter()", "IncrementCounter () uint"),
            (append, "Append(float)", "Append (float4) void"),
            (append, "Load(uint)", "`AppendStructuredBuffer<float4>` has no `Load`"),
            (consume, "Consume()", "Consume () float4"),
            (typed, "Load(uint)", "TypedLoad (uint) float4"),
            (
                typed,
                "GetDimensions(uint)",
                "`count` of `GetDimensions` is written, so it must be a variable",
            ),
            (sampler, "Sample(float)", "unknown"),
            (typed, "Sample(float)", "unknown"),
        ] {
            assert_eq!(outcome(&mut types, object, None, call), expected, "{call}");
        }
    }
}
