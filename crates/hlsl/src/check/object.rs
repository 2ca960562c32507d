//! The built-in types other than scalars: `vector<T, N>`, buffers, textures and other objects.

use diag::{Diagnostic, code};
use ir::Norm;

use super::Checker;
use super::scope::Wanted;
use crate::ast::{self, Modifier, Modifiers, Path, TemplateArg};
use crate::library::objects::{self, Takes};
use crate::options::MatrixOrder;
use crate::types::{
    Access, BuiltinStruct, Object, ResourceType, Scalar, TextureDim, Type, TypeId, Types,
};

/// The texture type of a name, without its `RW`.
fn texture(name: &str) -> Option<TextureDim> {
    Some(match name {
        "Texture1D" | "texture1D" => TextureDim::D1,
        "Texture1DArray" => TextureDim::D1Array,
        "Texture2D" | "texture2D" | "texture" => TextureDim::D2,
        "Texture2DArray" => TextureDim::D2Array,
        "Texture2DMS" => TextureDim::D2Ms,
        "Texture2DMSArray" => TextureDim::D2MsArray,
        "Texture3D" | "texture3D" => TextureDim::D3,
        "TextureCube" | "textureCUBE" => TextureDim::Cube,
        "TextureCubeArray" => TextureDim::CubeArray,
        _ => return None,
    })
}

impl<'a> Checker<'a> {
    /// The built-in type of a name.
    pub(super) fn object_type(
        &mut self,
        ty: &'a ast::Type,
        path: &'a Path,
        modifiers: &Modifiers,
    ) -> TypeId {
        let sampled = super::sampled::sampled_name(path);
        if !path.scope.is_empty() && sampled.is_none() {
            self.unknown(&path.last.ident, "type", Wanted::Type, None);
            return Types::ERROR;
        }
        let name: &'a str = sampled.unwrap_or(&path.last.ident.name);
        let args = path.last.args.as_deref().unwrap_or(&[]);
        // Rasterizer order only matters in pixel shaders.
        let plain = name.strip_prefix("RasterizerOrdered").map(|it| format!("RW{it}"));
        self.names_ordered_views |= plain.is_some();
        let name = plain.as_deref().unwrap_or(name);
        let resource = match name {
            "string" => return self.types.intern(Type::String),
            "WaveMask" => return Types::UINT,
            // The constants of these types are plain numbers, which convert as DXC's types do.
            "RAY_FLAG" | "RAYQUERY_FLAG" | "COMMITTED_STATUS" | "CANDIDATE_TYPE" => {
                return Types::UINT;
            }
            "RayDesc" => return self.types.builtin(BuiltinStruct::RayDesc),
            "BuiltInTrianglePositions" => {
                return self.types.builtin(BuiltinStruct::TrianglePositions);
            }
            "BuiltInTriangleIntersectionAttributes" => {
                return self.types.builtin(BuiltinStruct::TriangleAttributes);
            }
            "vector" => return self.vector_type(path, args),
            "matrix" => return self.matrix_type(ty, modifiers, path, args),
            "ByteAddressBuffer" => ResourceType::Raw { writable: false },
            "RWByteAddressBuffer" => ResourceType::Raw { writable: true },
            "StructuredBuffer" => self.structured(path, args, Access::Read),
            "RWStructuredBuffer" => self.structured(path, args, Access::ReadWrite),
            "AppendStructuredBuffer" => self.structured(path, args, Access::Append),
            "ConsumeStructuredBuffer" => self.structured(path, args, Access::Consume),
            "ConstantBuffer" | "TextureBuffer" => {
                let Some(element) = self.element(path, args, None) else { return Types::ERROR };
                if !matches!(self.types.get(element), Type::Struct(_) | Type::Error) {
                    let message =
                        format!("`{name}` holds a struct, not `{}`", self.name_of(element));
                    self.error(&code::TYPE_MISMATCH, path.span, message);
                    return Types::ERROR;
                }
                if !self.takes_no_long_vector(element, &format!("a `{name}`"), path.span) {
                    return Types::ERROR;
                }
                if name == "ConstantBuffer" {
                    ResourceType::Constant(element)
                } else {
                    ResourceType::TextureBuffer(element)
                }
            }
            "Buffer" | "RWBuffer" => {
                let Some(element) = self.texel(path, args) else { return Types::ERROR };
                ResourceType::Typed { element, writable: name == "RWBuffer", norm: norm(args) }
            }
            "SamplerState" | "sampler" | "sampler_state" => {
                ResourceType::Sampler { comparison: false }
            }
            "SamplerComparisonState" => ResourceType::Sampler { comparison: true },
            "RaytracingAccelerationStructure" => ResourceType::AccelerationStructure,
            _ => {
                let (plain, writable) = match name.strip_prefix("RW") {
                    Some(plain) => (plain, true),
                    None => (name, false),
                };
                if let Some(row) = objects::by_name(name) {
                    let Some(object) = self.object(row, path, args) else { return Types::ERROR };
                    ResourceType::Other(object)
                } else if let Some(dim) = texture(plain) {
                    let Some(element) = self.texel(path, args) else { return Types::ERROR };
                    ResourceType::Texture { dim, element, writable, norm: norm(args) }
                } else {
                    self.unknown_type(&path.last.ident);
                    return Types::ERROR;
                }
            }
        };
        match resource {
            ResourceType::Structured { element: Types::ERROR, .. } => Types::ERROR,
            resource => self.types.intern(Type::Resource(resource)),
        }
    }

    /// An object from the library's table, with its template arguments.
    fn object(
        &mut self,
        row: &'static objects::Row,
        path: &'a Path,
        args: &'a [TemplateArg],
    ) -> Option<Object> {
        let name = row.name;
        let (mut element, mut count) = (Types::VOID, 0);
        match row.takes {
            Takes::Nothing | Takes::Fields(_) => self.no_more_args(path, args, 0),
            Takes::Element => {
                element = self.element(path, args, None)?;
                self.no_more_args(path, args, 1);
            }
            Takes::ElementAndCount(most) => {
                let default = most == u32::MAX;
                let float4 = default.then(|| self.types.vector(Scalar::F32, 4));
                element = self.element(path, args, float4)?;
                let named = args.get(1);
                if named.is_none() && !default {
                    let message = format!(
                        "`{name}` needs the number of its control points: `{name}<{}, 3>`",
                        self.name_of(element)
                    );
                    self.error(&code::BAD_TEMPLATE, path.span, message);
                    return None;
                }
                count = if default { 0 } else { self.size_arg(named, 0, most)? };
                self.no_more_args(path, args, 2);
            }
            Takes::Flags { most, least } => {
                if args.len() < least {
                    let (what, example) = match name {
                        Object::RAY_QUERY => ("flags", "RAY_FLAG_NONE"),
                        _ => ("a kind of feedback", "SAMPLER_FEEDBACK_MIN_MIP"),
                    };
                    let message = format!("`{name}` needs {what} in `< >`");
                    let report = Diagnostic::new(&code::BAD_TEMPLATE, path.span, message);
                    self.report(report.help(format!("write `{name}<{example}>`")));
                    return None;
                }
                let mut values = Vec::new();
                for arg in args.iter().take(most) {
                    let TemplateArg::Expr(expr) = arg else {
                        self.error(&code::BAD_TEMPLATE, arg.span(), "expected a number");
                        return None;
                    };
                    let what = match name {
                        Object::RAY_QUERY => "the flags",
                        _ => "the kind of feedback",
                    };
                    let (value, _) = self.constant_integer(expr, what)?;
                    values.push((value, arg.span()));
                }
                self.no_more_args(path, args, most);
                count = match name {
                    Object::RAY_QUERY => self.query_flags(&values)?,
                    _ => self.feedback_kind(&values)?,
                };
            }
        }
        if element != Types::VOID
            && row.takes == Takes::Element
            && self.types.holds_resource(element)
        {
            let message = format!("a `{name}` cannot hold `{}`", self.name_of(element));
            self.error(&code::TYPE_MISMATCH, path.span, message);
            return None;
        }
        if !self.takes_no_long_vector(element, &format!("a `{name}`"), path.span) {
            return None;
        }
        Some(Object { name, element, count })
    }

    /// Checks the values of a subobject of a state object: `StateObjectConfig c = { 1 };`.
    pub(super) fn subobject(&mut self, object: Object, declarator: &'a ast::Declarator) {
        let Takes::Fields(words) = objects::row_of(object).takes else { return };
        let name = object.name;
        let values = match &declarator.init {
            Some(ast::Initializer::Expr(ast::Expr {
                kind: ast::ExprKind::List(values), ..
            })) => values.as_slice(),
            _ => &[],
        };
        if values.len() != words.len() {
            let message =
                format!("a `{name}` takes {} values in braces, not {}", words.len(), values.len());
            let report = Diagnostic::new(&code::BAD_INITIALIZER, declarator.name.span, message);
            let list = words.join(", ");
            self.report(report.note(format!("the values are `{{ {list} }}`")));
            return;
        }
        for (value, word) in values.iter().zip(words) {
            let found = self.value(value);
            let is_text = self.types.get(found.ty) == Type::String;
            if found.ty == Types::ERROR || is_text && *word == "string" {
                continue;
            }
            if is_text || *word == "string" {
                let what = if is_text { "a string" } else { "not a string" };
                let message =
                    format!("this value of a `{name}` must be a `{word}`, but this is {what}");
                self.error(&code::TYPE_MISMATCH, value.span, message);
            } else {
                self.coerce(found, Types::UINT);
            }
        }
    }

    fn unknown_type(&mut self, ident: &ast::Ident) {
        let declared =
            self.scopes.nearest(self.scopes.current(), &ident.name, Wanted::Type).is_some();
        match objects::similar(&ident.name) {
            Some(near) if !declared => {
                let message = format!("there is no type `{}`", ident.name);
                let report = Diagnostic::new(&code::UNKNOWN_NAME, ident.span, message);
                self.report(report.fix(format!("a similar name is `{near}`"), ident.span, near));
            }
            _ => self.unknown(ident, "type", Wanted::Type, None),
        }
    }

    /// The first template argument, or the default.
    fn element(
        &mut self,
        path: &'a Path,
        args: &'a [TemplateArg],
        default: Option<TypeId>,
    ) -> Option<TypeId> {
        let Some(first) = args.first() else {
            if default.is_none() {
                let name = &path.last.ident.name;
                let message = format!("`{name}` needs the type of its elements: `{name}<uint>`");
                self.error(&code::BAD_TEMPLATE, path.span, message);
            }
            return default;
        };
        match self.type_arg(first) {
            None if self.names_lost || self.sink.has_errors() => None,
            Some(Types::VOID) | None => {
                self.error(
                    &code::BAD_TEMPLATE,
                    first.span(),
                    "expected a type that can hold a value",
                );
                None
            }
            found => found,
        }
    }

    fn structured(
        &mut self,
        path: &'a Path,
        args: &'a [TemplateArg],
        access: Access,
    ) -> ResourceType {
        let element = self.element(path, args, None).unwrap_or(Types::ERROR);
        let wrong = match self.types.get(element) {
            Type::String => {
                Some("a buffer cannot hold a `string`, which has no storage".to_owned())
            }
            _ => self.types.holds_resource(element).then(|| {
                format!(
                    "a buffer cannot hold `{}`, which is or contains a resource",
                    self.name_of(element)
                )
            }),
        };
        if let Some(message) = wrong {
            self.error(&code::TYPE_MISMATCH, path.span, message);
            return ResourceType::Structured { element: Types::ERROR, access };
        }
        ResourceType::Structured { element, access }
    }

    /// The element type of a typed buffer or texture: up to four numbers.
    fn texel(&mut self, path: &'a Path, args: &'a [TemplateArg]) -> Option<TypeId> {
        let default = self.types.vector(Scalar::F32, 4);
        let element = self.element(path, args, Some(default))?;
        match self.types.get(element) {
            Type::Scalar(_) | Type::Vector(_, 1..=4) => Some(element),
            Type::Error => None,
            _ => {
                let message = format!(
                    "the elements of a `{}` must be scalars or vectors, not `{}`",
                    path.last.ident.name,
                    self.name_of(element)
                );
                self.error(&code::TYPE_MISMATCH, path.span, message);
                None
            }
        }
    }

    fn vector_type(&mut self, path: &'a Path, args: &'a [TemplateArg]) -> TypeId {
        let Some(scalar) = self.scalar_arg(args.first()) else { return Types::ERROR };
        let longest =
            if self.shader_model() >= (ops::intrinsics::ShaderModel { major: 6, minor: 9 }) {
                1024
            } else {
                4
            };
        let Some(n) = self.size_arg(args.get(1), 4, longest) else { return Types::ERROR };
        self.no_more_args(path, args, 2);
        self.types.vector(scalar, n)
    }

    fn matrix_type(
        &mut self,
        ty: &'a ast::Type,
        modifiers: &Modifiers,
        path: &'a Path,
        args: &'a [TemplateArg],
    ) -> TypeId {
        let Some(scalar) = self.scalar_arg(args.first()) else { return Types::ERROR };
        let Some(rows) = self.size_arg(args.get(1), 4, 4) else { return Types::ERROR };
        let Some(columns) = self.size_arg(args.get(2), 4, 4) else { return Types::ERROR };
        self.no_more_args(path, args, 3);
        let has = |it| ty.modifiers.has(it) || modifiers.has(it);
        let row_major = has(Modifier::RowMajor)
            || !has(Modifier::ColumnMajor) && ty.order == MatrixOrder::RowMajor;
        self.types.intern(Type::Matrix { scalar, rows, columns, row_major })
    }

    fn no_more_args(&mut self, path: &'a Path, args: &'a [TemplateArg], most: usize) {
        if let Some(extra) = args.get(most) {
            let name = &path.last.ident.name;
            let message = match most {
                0 => format!("`{name}` takes no template arguments"),
                1 => format!("`{name}` takes 1 template argument"),
                _ => format!("`{name}` takes {most} template arguments"),
            };
            self.error(&code::BAD_TEMPLATE, extra.span(), message);
        }
    }

    fn scalar_arg(&mut self, arg: Option<&'a TemplateArg>) -> Option<Scalar> {
        let Some(arg) = arg else { return Some(Scalar::F32) };
        let ty = self.type_arg(arg);
        match ty.map(|ty| self.types.get(ty)) {
            Some(Type::Scalar(scalar)) => Some(scalar),
            Some(Type::Error) => None,
            _ => {
                self.error(&code::BAD_TEMPLATE, arg.span(), "expected a scalar type");
                None
            }
        }
    }

    fn size_arg(&mut self, arg: Option<&'a TemplateArg>, default: u32, most: u32) -> Option<u32> {
        let Some(arg) = arg else { return Some(default) };
        let TemplateArg::Expr(expr) = arg else {
            self.error(&code::BAD_TEMPLATE, arg.span(), "expected a number");
            return None;
        };
        let (value, _) = self.constant_integer(expr, "the size")?;
        match u32::try_from(value) {
            Ok(size) if (1..=most).contains(&size) => Some(size),
            _ => {
                let report = Diagnostic::new(
                    &code::BAD_TEMPLATE,
                    expr.span,
                    format!("the size must be from 1 to {most}, not {value}"),
                );
                self.report(report);
                None
            }
        }
    }
}

/// `Buffer<unorm float4>`
fn norm(args: &[TemplateArg]) -> Norm {
    match args.first() {
        Some(TemplateArg::Type(ty)) if ty.modifiers.has(Modifier::Unorm) => Norm::Unorm,
        Some(TemplateArg::Type(ty)) if ty.modifiers.has(Modifier::Snorm) => Norm::Snorm,
        _ => Norm::None,
    }
}
