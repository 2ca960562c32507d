//! Fields, swizzles and elements.

use diag::{Diagnostic, Span, code, most_similar};

use super::Checker;
use super::scope::ValueEntity;
use crate::ast;
use crate::ast::Operator;
use crate::hir::{Arg, Expr, ExprKind};
use crate::library::{self, TextureMethod};
use crate::types::{ResourceType, Scalar, Type, TypeId, Types};

impl<'a> Checker<'a> {
    pub(super) fn member_expr(
        &mut self,
        base: &'a ast::Expr,
        name: &'a ast::Ident,
        has_args: bool,
        span: Span,
    ) -> Expr {
        let base = self.expr(base);
        let base = self.settle(base);
        if base.ty == Types::ERROR {
            return base;
        }
        if has_args {
            self.error(
                &code::BAD_TEMPLATE,
                name.span,
                format!("`{}` is not a template", name.name),
            );
            return self.broken(span);
        }
        match self.types.get(base.ty) {
            Type::Struct(_) => self.field_named(base, name, span),
            Type::Resource(ResourceType::Constant(_) | ResourceType::TextureBuffer(_)) => {
                self.field_named(base, name, span)
            }
            Type::Scalar(_) => self.swizzle(base, 1, name, span),
            Type::Vector(_, n) => self.swizzle(base, n, name, span),
            Type::Matrix { rows, columns, .. } => {
                self.matrix_swizzle(base, rows, columns, name, span)
            }
            Type::Resource(ResourceType::Other(object)) => {
                match library::objects::has_length(object) && name.name == *"Length" {
                    true => self.constant_of(Types::UINT, object.count.into(), span),
                    false => {
                        self.no_member(&base, name);
                        self.broken(span)
                    }
                }
            }
            Type::Resource(ResourceType::Texture { .. })
                if matches!(name.name.as_str(), "mips" | "sample") =>
            {
                self.unsupported(
                    span,
                    format!(
                        "`.{}` of a `{}` is not supported yet",
                        name.name,
                        self.types.name(base.ty)
                    ),
                );
                self.broken(span)
            }
            Type::Void | Type::Array { .. } | Type::Resource(_) | Type::String | Type::Error => {
                self.no_member(&base, name);
                self.broken(span)
            }
        }
    }

    fn no_member(&mut self, base: &Expr, name: &ast::Ident) {
        let ty = self.name_of(base.ty);
        let mut report = Diagnostic::new(
            &code::UNKNOWN_NAME,
            name.span,
            format!("`{ty}` has no member `{}`", name.name),
        );
        report = report.also(base.span, format!("this is `{ty}`"));
        if matches!(self.types.get(base.ty), Type::Scalar(_) | Type::Vector(..)) {
            report = report.help("the components are `x`, `y`, `z`, `w`, or `r`, `g`, `b`, `a`");
        }
        if library::method_names(&self.types, base.ty).iter().any(|it| name.name == *it.as_str()) {
            report = report.help(format!("`{}` is a method: `.{}(…)`", name.name, name.name));
        }
        self.report(report);
    }

    /// The field of a base by its index.
    pub(super) fn field_of(&mut self, base: Expr, field: u32, span: Span) -> Expr {
        let structure = self.struct_or_contents(base.ty);
        let Some(Type::Struct(id)) = structure.map(|it| self.types.get(it)) else {
            return self.broken(span);
        };
        let Some(ty) = self.types.structure(id).fields.get(field as usize).map(|it| it.ty) else {
            return self.broken(span);
        };
        Expr { kind: ExprKind::Field(base.into(), field), ty, span }
    }

    /// The struct of a struct type, or of a constant buffer.
    pub(super) fn struct_or_contents(&self, ty: TypeId) -> Option<TypeId> {
        match self.types.get(ty) {
            Type::Struct(_) => Some(ty),
            Type::Resource(ResourceType::Constant(inner) | ResourceType::TextureBuffer(inner)) => {
                self.struct_or_contents(inner)
            }
            _ => None,
        }
    }

    fn field_named(&mut self, base: Expr, name: &'a ast::Ident, span: Span) -> Expr {
        let structure = self.struct_or_contents(base.ty).map(|it| self.types.get(it));
        let Some(Type::Struct(id)) = structure else {
            self.no_member(&base, name);
            return self.broken(span);
        };
        // A built-in struct has fields but no scope.
        let found = match self.structs.get(&id).map(|it| it.scope) {
            Some(scope) => self.scopes.value_in(scope, &name.name).map(|it| it.entity),
            None => {
                let fields = &self.types.structure(id).fields;
                let index = fields.iter().position(|it| it.name == *name.name);
                index.map(|it| ValueEntity::Field(it as u32))
            }
        };
        match found {
            Some(ValueEntity::Field(field)) => self.field_of(base, field, span),
            Some(ValueEntity::Global(global)) => {
                Expr { kind: ExprKind::Global(global), ty: self.global(global).global.ty, span }
            }
            Some(ValueEntity::Constant(ty, bits)) => self.constant_of(ty, bits, span),
            Some(ValueEntity::Functions(_)) => {
                let message = format!("`{}` is a method and can only be called", name.name);
                self.error(&code::TYPE_MISMATCH, span, message);
                self.broken(span)
            }
            Some(_) => self.broken(span),
            None => {
                let structure = self.types.structure(id);
                let ty = structure.name.clone();
                let names =
                    structure.fields.iter().filter(|it| !it.hidden).map(|it| it.name.as_str());
                let near = most_similar(&name.name, names).map(str::to_owned);
                let mut report = Diagnostic::new(
                    &code::UNKNOWN_NAME,
                    name.span,
                    format!("`{ty}` has no member `{}`", name.name),
                );
                if let Some(near) = near {
                    report = report.fix(format!("a similar name is `{near}`"), name.span, near);
                }
                if let Some(info) = self.structs.get(&id) {
                    report = report.also(info.ast.name.span, format!("`{ty}` is declared here"));
                }
                self.report(report);
                self.broken(span)
            }
        }
    }

    fn swizzle(&mut self, base: Expr, length: u32, name: &ast::Ident, span: Span) -> Expr {
        let mut components = Vec::new();
        let mut sets = [false; 2];
        for letter in name.name.chars() {
            let (set, component) = match letter {
                'x' => (0, 0),
                'y' => (0, 1),
                'z' => (0, 2),
                'w' => (0, 3),
                'r' => (1, 0),
                'g' => (1, 1),
                'b' => (1, 2),
                'a' => (1, 3),
                _ => {
                    self.no_member(&base, name);
                    return self.broken(span);
                }
            };
            sets[set] = true;
            components.push(component);
        }
        if sets == [true, true] || components.len() > 4 || components.is_empty() {
            self.no_member(&base, name);
            return self.broken(span);
        }
        if let Some(beyond) = components.iter().find(|it| **it >= length) {
            let message = format!(
                "`{}` has {length} components, but this is component {}",
                self.name_of(base.ty),
                beyond + 1
            );
            self.error(&code::INDEX_OUT_OF_RANGE, name.span, message);
            return self.broken(span);
        }
        if length > 4 {
            let message = format!("the components of a `{}` have no names", self.name_of(base.ty));
            let first = components[0];
            let report = Diagnostic::new(&code::UNKNOWN_NAME, name.span, message);
            self.report(report.help(match components.len() {
                1 => format!("name it by its index: `[{first}]`"),
                _ => format!("name each by its index, such as `[{first}]`"),
            }));
            return self.broken(span);
        }
        let ty = self.swizzled(base.ty, components.len());
        Expr { kind: ExprKind::Swizzle(base.into(), components), ty, span }
    }

    /// The type of `count` components of a vector or matrix.
    fn swizzled(&mut self, base: TypeId, count: usize) -> TypeId {
        let Some(scalar) = self.types.scalar_of(base) else { return Types::ERROR };
        match count {
            1 => self.types.scalar(scalar),
            _ => self.types.vector(scalar, count as u32),
        }
    }

    /// `_m00_m11` or `_11_22`.
    fn matrix_swizzle(
        &mut self,
        base: Expr,
        rows: u32,
        columns: u32,
        name: &ast::Ident,
        span: Span,
    ) -> Expr {
        let mut elements = Vec::new();
        let mut from_zero = None;
        for part in name.name.split('_').skip(1) {
            let (digits, zero) = match part.strip_prefix('m') {
                Some(digits) => (digits, true),
                None => (part, false),
            };
            let numbers: Vec<u32> = digits.chars().filter_map(|it| it.to_digit(10)).collect();
            let ([row, column], true) =
                (numbers.as_slice(), digits.len() == 2 && *from_zero.get_or_insert(zero) == zero)
            else {
                self.no_member(&base, name);
                return self.broken(span);
            };
            let first = u32::from(!zero);
            let element = (row.wrapping_sub(first), column.wrapping_sub(first));
            if element.0 >= rows || element.1 >= columns {
                let message = format!("`{}` has no element `_{part}`", self.name_of(base.ty));
                self.error(&code::INDEX_OUT_OF_RANGE, name.span, message);
                return self.broken(span);
            }
            elements.push(element);
        }
        if elements.is_empty() || elements.len() > 4 || !name.name.starts_with('_') {
            self.no_member(&base, name);
            return self.broken(span);
        }
        let ty = self.swizzled(base.ty, elements.len());
        Expr { kind: ExprKind::MatrixSwizzle(base.into(), elements), ty, span }
    }

    // Elements.

    pub(super) fn index_expr(
        &mut self,
        base: &'a ast::Expr,
        index: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        if let Some(texel) = self.chosen_texel(base, index, span) {
            return texel;
        }
        let base = self.expr(base);
        let base = self.texture_part(base);
        let index = self.value(index);
        if base.ty == Types::ERROR || index.ty == Types::ERROR {
            return self.broken(span);
        }
        let (ty, len) = match self.types.get(base.ty) {
            Type::Struct(_) => return self.overloaded(Operator::Index, vec![base, index], span),
            Type::Vector(scalar, n) => (self.types.scalar(scalar), Some(n)),
            Type::Matrix { scalar, rows, columns, .. } => {
                (self.types.vector(scalar, columns), Some(rows))
            }
            Type::Array { element, len } => (element, (len > 0).then_some(len)),
            Type::Resource(resource) => match resource {
                ResourceType::Structured { element, access } => {
                    use crate::types::Access;
                    if matches!(access, Access::Append | Access::Consume) {
                        let message = format!("a `{}` cannot be indexed", self.name_of(base.ty));
                        self.error(&code::TYPE_MISMATCH, span, message);
                        return self.broken(span);
                    }
                    (element, None)
                }
                ResourceType::Typed { element, .. } => (element, None),
                ResourceType::Texture { element, dim, .. } => {
                    if dim.dim().is_cube() {
                        return self.no_elements(&base, span);
                    }
                    let index = self.texel_index(index, dim.dim());
                    if index.ty == Types::ERROR {
                        return self.broken(span);
                    }
                    let kind = ExprKind::Index(base.into(), index.into());
                    return Expr { kind, ty: element, span };
                }
                ResourceType::Other(_) if let Some(element) = self.heap_element(base.ty) => {
                    (element, None)
                }
                ResourceType::Other(object) => {
                    match library::objects::element_of(&mut self.types, object) {
                        Some(element) => {
                            self.gate_object(object, "an element", span);
                            (element, None)
                        }
                        None => return self.no_elements(&base, span),
                    }
                }
                ResourceType::Constant(_)
                | ResourceType::TextureBuffer(_)
                | ResourceType::Raw { .. }
                | ResourceType::Sampler { .. }
                | ResourceType::AccelerationStructure => return self.no_elements(&base, span),
            },
            Type::Void | Type::Scalar(_) | Type::String | Type::Error => {
                return self.no_elements(&base, span);
            }
        };
        // Lowering folds the index of an outermost literal.
        let index = self.index(index);
        if let (Some(len), Some(value)) = (len, self.integer_of(&index))
            && !(0..i64::from(len)).contains(&value)
        {
            let message =
                format!("the index is {value}, but `{}` has {len} elements", self.name_of(base.ty));
            self.error(&code::INDEX_OUT_OF_RANGE, index.span, message);
            return self.broken(span);
        }
        if index.ty == Types::ERROR {
            return self.broken(span);
        }
        Expr { kind: ExprKind::Index(base.into(), index.into()), ty, span }
    }

    /// The index of a texel: a number for each axis and for the layer.
    fn texel_index(&mut self, index: Expr, dim: ops::texture::Dim) -> Expr {
        let ty = match dim.axes() + usize::from(dim.is_array()) {
            1 => Types::UINT,
            n => self.types.vector(Scalar::U32, n as u32),
        };
        self.coerce(index, ty)
    }

    /// `texture.mips[level][location]` and `texture.sample[index][location]`; `base` is all but the last index.
    fn chosen_texel(
        &mut self,
        base: &'a ast::Expr,
        index: &'a ast::Expr,
        span: Span,
    ) -> Option<Expr> {
        let ast::ExprKind::Index { base, index: which } = &base.kind else { return None };
        let ast::ExprKind::Member { base: texture, name, args: None } = &base.kind else {
            return None;
        };
        let method = match &*name.name {
            "mips" => TextureMethod::Mips,
            "sample" => TextureMethod::Samples,
            _ => return None,
        };
        let texture = self.texture_of(texture)?;
        if texture.ty == Types::ERROR {
            return Some(texture);
        }
        let Type::Resource(ResourceType::Texture { dim, element, writable, .. }) =
            self.types.get(texture.ty)
        else {
            return None;
        };
        let dim = dim.dim();
        let exists = match method {
            TextureMethod::Mips => !writable && !dim.is_cube() && !dim.is_multisampled(),
            _ => dim.is_multisampled(),
        };
        if !exists {
            self.no_member(&texture, name);
            return Some(self.broken(span));
        }
        let which = self.value(which);
        let which = self.index(which);
        let index = self.value(index);
        if which.ty == Types::ERROR || index.ty == Types::ERROR {
            return Some(self.broken(span));
        }
        let index = self.texel_index(index, dim);
        let args = vec![Arg::In(which), Arg::In(index)];
        let method = library::Method::Texture(method);
        let kind = ExprKind::Method { method, object: texture.into(), args };
        Some(Expr { kind, ty: element, span })
    }

    /// Checks an expression if it is a texture; other expressions are not checked and cause no reports.
    fn texture_of(&mut self, expr: &'a ast::Expr) -> Option<Expr> {
        let names_one = matches!(
            expr.kind,
            ast::ExprKind::Name { .. } | ast::ExprKind::Index { .. } | ast::ExprKind::Member { .. }
        );
        names_one.then(|| {
            let found = self.expr(expr);
            self.texture_part(found)
        })
    }

    fn no_elements(&mut self, base: &Expr, span: Span) -> Expr {
        let mut report = Diagnostic::new(
            &code::TYPE_MISMATCH,
            span,
            format!("a `{}` cannot be indexed", self.name_of(base.ty)),
        );
        if let Type::Resource(ResourceType::Raw { .. }) = self.types.get(base.ty) {
            report = report.help("read it with `.Load(address)`");
        }
        self.report(report);
        self.broken(span)
    }
}
