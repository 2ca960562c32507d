//! Type resolution: from written types to types of the table.

use diag::{Diagnostic, Span, code};

use super::{Checker, MOST_SCALARS};
use crate::ast::{self, Dim, Modifier, Modifiers, Shape, TemplateArg, TypeKind};
use crate::options::{MatrixOrder, ShaderModel, Version};
use crate::types::{Scalar, Type, TypeId, Types};

/// The scalar type of a keyword.
pub(super) fn scalar(word: ast::Scalar, native_16bit: bool) -> Scalar {
    use ast::Scalar as W;
    match word {
        W::Bool => Scalar::Bool,
        W::Int => Scalar::I32,
        W::Uint | W::Int8x4Packed | W::Uint8x4Packed => Scalar::U32,
        W::Float => Scalar::F32,
        W::Double => Scalar::F64,
        W::Half if native_16bit => Scalar::F16,
        W::Half => Scalar::Half,
        W::Min16Float | W::Min10Float => Scalar::Min16Float,
        W::Min16Int | W::Min12Int => Scalar::Min16Int,
        W::Min16Uint => Scalar::Min16Uint,
        W::Float16 => Scalar::F16,
        W::Int16 => Scalar::I16,
        W::Uint16 => Scalar::U16,
        W::Int64 => Scalar::I64,
        W::Uint64 => Scalar::U64,
    }
}

impl<'a> Checker<'a> {
    /// A type outside of a declaration.
    pub(super) fn ty(&mut self, ty: &'a ast::Type) -> TypeId {
        self.ty_with(ty, &Modifiers::default())
    }

    /// The type of a declaration with its modifiers but without its array sizes.
    pub(super) fn ty_with(&mut self, ty: &'a ast::Type, modifiers: &Modifiers) -> TypeId {
        let found = self.deeper(ty.span, |this| this.ty_inner(ty, modifiers));
        found.unwrap_or(Types::ERROR)
    }

    fn ty_inner(&mut self, ty: &'a ast::Type, modifiers: &Modifiers) -> TypeId {
        match &ty.kind {
            TypeKind::Void => Types::VOID,
            TypeKind::Error => Types::ERROR,
            TypeKind::Array(element, dims) => {
                let element = self.ty_with(element, modifiers);
                self.array(element, dims)
            }
            TypeKind::Auto => {
                let report = match self.options.hlsl_version >= Version::V202x {
                    true => Diagnostic::new(
                        &code::BAD_DECLARATION,
                        ty.span,
                        "`auto` is not allowed here",
                    )
                    .note("only a local variable with an initialiser can be `auto`"),
                    false => Diagnostic::new(&code::UNKNOWN_NAME, ty.span, "HLSL has no `auto`")
                        .note("HLSL 202x has it for local variables"),
                };
                self.report(report);
                Types::ERROR
            }
            TypeKind::Numeric(numeric) => {
                let scalar = scalar(numeric.scalar, self.native_16bit());
                self.gate_scalar(numeric.scalar, ty.span);
                match numeric.shape {
                    Shape::Scalar => self.types.scalar(scalar),
                    Shape::Vector(n) => self.types.vector(scalar, n.into()),
                    Shape::Matrix(rows, columns) => {
                        let row_major = is_row_major(ty, modifiers);
                        self.types.intern(Type::Matrix {
                            scalar,
                            rows: rows.into(),
                            columns: columns.into(),
                            row_major,
                        })
                    }
                }
            }
            TypeKind::Named(path) if super::sampled::sampled_name(path).is_some() => {
                let texture = self.object_type(ty, path, modifiers);
                self.sampled_type(texture, path)
            }
            TypeKind::Named(path) => match self.declared_type(path) {
                Some(found) => {
                    let found = found.unwrap_or(Types::ERROR);
                    self.reordered(found, ty, modifiers)
                }
                None => self.object_type(ty, path, modifiers),
            },
        }
    }

    /// Applies a `row_major` or `column_major` in front of a type name, if that names a matrix type.
    fn reordered(&mut self, found: TypeId, ty: &ast::Type, modifiers: &Modifiers) -> TypeId {
        let has = |it| ty.modifiers.has(it) || modifiers.has(it);
        match self.types.get(found) {
            Type::Matrix { scalar, rows, columns, .. }
                if has(Modifier::RowMajor) || has(Modifier::ColumnMajor) =>
            {
                let row_major = has(Modifier::RowMajor);
                self.types.intern(Type::Matrix { scalar, rows, columns, row_major })
            }
            _ => found,
        }
    }

    /// 16-bit types need a flag and a shader model, 64-bit ones a shader model.
    fn gate_scalar(&mut self, word: ast::Scalar, span: Span) {
        use ast::Scalar as W;
        let name = match word {
            W::Float16 => "float16_t",
            W::Int16 => "int16_t",
            W::Uint16 => "uint16_t",
            _ => return,
        };
        if !self.native_16bit() {
            let report = Diagnostic::new(
                &code::NEEDS_16BIT_TYPES,
                span,
                format!("`{name}` requires `-enable-16bit-types`"),
            );
            self.gate(
                report.help("compile with `-enable-16bit-types`, or use `min16float` and the like"),
            );
        } else if self.options.shader_model < (ShaderModel { major: 6, minor: 2 }) {
            let report = Diagnostic::new(
                &code::NEEDS_16BIT_TYPES,
                span,
                format!("`{name}` requires shader model 6.2"),
            );
            self.gate(report);
        }
    }

    /// Rejects strings where DXC does: functions, structs and buffers cannot hold the text of messages.
    pub(super) fn no_string(&mut self, ty: TypeId, name: &ast::Ident) -> TypeId {
        if self.types.get(ty) != Type::String {
            return ty;
        }
        let message =
            format!("`{}` cannot be a `string`: only variables at file scope can", name.name);
        let report = Diagnostic::new(&code::BAD_DECLARATION, name.span, message);
        self.report(report.help("declare it at the top of the file"));
        Types::ERROR
    }

    /// The array type with these sizes, outermost first. Only the outermost may be left open, which is stored as 0.
    pub(super) fn array(&mut self, element: TypeId, dims: &'a [Dim]) -> TypeId {
        let mut ty = element;
        if let Some(dim) = dims.first()
            && self.types.get(element) == Type::String
        {
            self.error(&code::BAD_DECLARATION, dim.span, "a `string` cannot be an array element");
            return Types::ERROR;
        }
        for (i, dim) in dims.iter().enumerate().rev() {
            let len = match &dim.size {
                Some(size) => self.array_size(size),
                None if i == 0 => Some(0),
                None => {
                    self.error(
                        &code::BAD_DECLARATION,
                        dim.span,
                        "only the first size of an array can be left open",
                    );
                    None
                }
            };
            let Some(len) = len else { return Types::ERROR };
            if ty == Types::ERROR {
                return ty;
            }
            if ty == Types::VOID {
                self.error(&code::BAD_DECLARATION, dim.span, "an array cannot hold `void`");
                return Types::ERROR;
            }
            if matches!(self.types.get(ty), Type::Array { len: 0, .. }) {
                let message = "the size of an inner array must be known";
                self.error(&code::BAD_DECLARATION, dim.span, message);
                return Types::ERROR;
            }
            ty = self.types.intern(Type::Array { element: ty, len });
            if !self.types_nest(ty, dim.span) {
                return Types::ERROR;
            }
        }
        if self.types.scalar_count(ty) > MOST_SCALARS {
            let span = dims.first().map_or(Span::NONE, |it| it.span);
            self.error(&code::TOO_LARGE, span, "this array is too large for any device");
            return Types::ERROR;
        }
        ty
    }

    fn array_size(&mut self, size: &'a ast::Expr) -> Option<u32> {
        let (value, checked) = self.constant_integer(size, "the size of an array")?;
        // An unsigned literal is never negative: it uses all 64 bits.
        let is_unsigned = matches!(size.kind, ast::ExprKind::Int(_))
            || self.types.scalar_of(checked.ty) == Some(Scalar::U64);
        match u32::try_from(value) {
            Ok(0) | Err(_) if value <= 0 && !(is_unsigned && value < 0) => {
                let message = format!("an array has at least one element, not {value}");
                self.error(&code::BAD_DECLARATION, size.span, message);
                None
            }
            Ok(len) => Some(len),
            Err(_) => {
                self.error(&code::TOO_LARGE, size.span, "this array is too large for any device");
                None
            }
        }
    }

    /// The type that a template argument names, if any.
    pub(super) fn type_arg(&mut self, arg: &'a TemplateArg) -> Option<TypeId> {
        match arg {
            TemplateArg::Type(ty) => Some(self.ty(ty)),
            // A name that was unknown to the parser may be a type.
            TemplateArg::Expr(ast::Expr { kind: ast::ExprKind::Name(path), .. }) => {
                let is_value =
                    matches!(self.quietly(|this| this.declared_value(path)).0, Ok(Some(_)));
                if is_value {
                    None
                } else {
                    self.declared_type(path).map(|it| it.unwrap_or(Types::ERROR))
                }
            }
            TemplateArg::Expr(_) => None,
        }
    }
}

fn is_row_major(ty: &ast::Type, modifiers: &Modifiers) -> bool {
    let has = |it| ty.modifiers.has(it) || modifiers.has(it);
    has(Modifier::RowMajor) || !has(Modifier::ColumnMajor) && ty.order == MatrixOrder::RowMajor
}
