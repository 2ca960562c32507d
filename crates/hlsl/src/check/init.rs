//! Initialisation: initialiser lists, casts, constructors.

use diag::{Diagnostic, Span, code};

use super::Checker;
use super::work::cost;
use crate::ast::{self, Dim};
use crate::hir::{Expr, ExprKind};
use crate::types::convert;
use crate::types::{Field, Struct, Type, TypeId, Types};

/// The most scalars that a list may fill.
const MOST_SCALARS: u64 = 1 << 20;

impl<'a> Checker<'a> {
    /// Checks the initialiser of a variable. A list fixes an open array size.
    pub(super) fn init(&mut self, ty: TypeId, init: &'a ast::Expr) -> (TypeId, Expr) {
        if ty == Types::VOID {
            self.error(&code::BAD_DECLARATION, init.span, "a variable cannot be of type `void`");
            return (Types::ERROR, self.broken(init.span));
        }
        if let ast::ExprKind::List(parts) = &init.kind {
            return self.list(ty, parts, init.span);
        }
        let value = self.expr(init);
        if let (Type::Array { element, len: 0 }, Type::Array { element: other, len }) =
            (self.types.get(ty), self.types.get(value.ty))
            && element == other
            && len > 0
        {
            return (value.ty, value);
        }
        let value = self.coerce(value, ty);
        (ty, value)
    }

    /// The types of the scalars of a value, in which a resource counts as one.
    fn numbers_in(&mut self, ty: TypeId, out: &mut Vec<TypeId>) {
        match self.types.get(ty) {
            Type::Void | Type::Error => {}
            Type::Array { .. } | Type::Struct(_) if convert::number_count(&self.types, ty) == 0 => {
            }
            Type::Scalar(_) | Type::Resource(_) | Type::String => out.push(ty),
            Type::Vector(scalar, n) => {
                let scalar = self.types.scalar(scalar);
                out.extend(std::iter::repeat_n(scalar, n as usize));
            }
            Type::Matrix { scalar, rows, columns, .. } => {
                let scalar = self.types.scalar(scalar);
                out.extend(std::iter::repeat_n(scalar, (rows * columns) as usize));
            }
            Type::Array { element, len } => {
                let first = out.len();
                self.numbers_in(element, out);
                let one: Vec<TypeId> = out[first..].to_vec();
                for _ in 1..len {
                    out.extend_from_slice(&one);
                }
            }
            Type::Struct(id) => {
                let stored: Vec<TypeId> = self
                    .types
                    .structure(id)
                    .fields
                    .iter()
                    .filter(|it| !it.hidden)
                    .map(|it| it.ty)
                    .collect();
                stored.into_iter().for_each(|it| self.numbers_in(it, out));
            }
        }
    }

    fn list(&mut self, ty: TypeId, parts: &'a [ast::Expr], span: Span) -> (TypeId, Expr) {
        let mut values = Vec::new();
        self.flatten_list(parts, &mut values);
        if ty == Types::ERROR || values.iter().any(|it| it.ty == Types::ERROR) {
            return (ty, self.broken(span));
        }
        let given = values
            .iter()
            .map(|it| convert::number_count(&self.types, it.ty))
            .fold(0, u64::saturating_add);
        let ty = match self.types.get(ty) {
            Type::Array { element, len: 0 } => {
                let each = convert::number_count(&self.types, element);
                if each == 0 || given == 0 || given % each != 0 {
                    return self.wrong_count(ty, given, each, span);
                }
                let len = u32::try_from(given / each).unwrap_or(u32::MAX);
                self.types.intern(Type::Array { element, len })
            }
            _ => ty,
        };
        let wanted = convert::number_count(&self.types, ty);
        if wanted > MOST_SCALARS {
            self.error(&code::TOO_LARGE, span, "this list has too many elements");
            return (ty, self.broken(span));
        }
        if given != wanted {
            return self.wrong_count(ty, given, wanted, span);
        }
        if !self.spend(wanted, span) {
            return (ty, self.broken(span));
        }
        let mut leaves = Vec::new();
        self.numbers_in(ty, &mut leaves);
        if self.types.has_bit_fields(ty) {
            // Initialise the fields one by one, then pack their bits.
            let spread = self.spread(&leaves, span);
            let value = self.made_of(spread, &leaves, values, span);
            return (ty, self.convert(value, ty));
        }
        let value = self.made_of(ty, &leaves, values, span);
        (ty, value)
    }

    fn wrong_count(&mut self, ty: TypeId, given: u64, wanted: u64, span: Span) -> (TypeId, Expr) {
        let name = self.name_of(ty);
        let values = if given == 1 { "value" } else { "values" };
        let mut report = match self.types.get(ty) {
            Type::Array { len: 0, .. } => Diagnostic::new(
                &code::BAD_INITIALIZER,
                span,
                format!("{given} {values} cannot fill elements of {wanted} each"),
            ),
            _ => Diagnostic::new(
                &code::BAD_INITIALIZER,
                span,
                format!("`{name}` takes {wanted} values, but the list has {given}"),
            ),
        };
        if given == 1 && wanted > 1 {
            report = report.help(format!("`({name})0` sets all to one value"));
        }
        self.report(report);
        let ty = if matches!(self.types.get(ty), Type::Array { len: 0, .. }) {
            Types::ERROR
        } else {
            ty
        };
        (ty, self.broken(span))
    }

    fn flatten_list(&mut self, parts: &'a [ast::Expr], out: &mut Vec<Expr>) {
        for part in parts {
            match &part.kind {
                ast::ExprKind::List(inner) => {
                    self.deeper(part.span, |this| this.flatten_list(inner, out));
                }
                _ => {
                    let value = self.value(part);
                    out.push(value);
                }
            }
        }
    }

    /// A value whose scalars, of the types `leaves`, are taken from several values in order.
    fn made_of(&mut self, ty: TypeId, leaves: &[TypeId], values: Vec<Expr>, span: Span) -> Expr {
        let mut parts = Vec::with_capacity(values.len());
        let mut at = 0;
        for value in values {
            let count = convert::number_count(&self.types, value.ty) as usize;
            let wanted = &leaves[at..at + count];
            at += count;
            parts.push(self.part(value, wanted));
        }
        if parts.iter().any(|it| it.ty == Types::ERROR) {
            return self.broken(span);
        }
        match <[Expr; 1]>::try_from(parts) {
            Ok([one]) if one.ty == ty => one,
            Ok(one) => Expr { kind: ExprKind::Construct(one.into()), ty, span },
            Err(parts) => Expr { kind: ExprKind::Construct(parts), ty, span },
        }
    }

    /// Flattens a value into scalars of these types.
    fn part(&mut self, value: Expr, wanted: &[TypeId]) -> Expr {
        if let [one] = wanted
            && (self.types.scalar_of(value.ty).is_some()
                || self.types.get(value.ty) == self.types.get(*one)
                || crate::types::heap::is_viewed_as(&self.types, value.ty, *one))
        {
            return self.coerce(value, *one);
        }
        let mut have = Vec::new();
        self.numbers_in(value.ty, &mut have);
        if have == wanted && !self.types.has_bit_fields(value.ty) {
            return value;
        }
        let Some(first) = wanted.first() else { return self.broken(value.span) };
        if have.iter().chain(wanted).any(|it| self.types.scalar_of(*it).is_none()) {
            let message = format!("`{}` cannot be converted here", self.name_of(value.ty));
            self.error(&code::TYPE_MISMATCH, value.span, message);
            return self.broken(value.span);
        }
        let same = wanted.iter().all(|it| it == first);
        let to = match (self.types.scalar_of(value.ty), self.types.scalar_of(*first)) {
            (Some(_), Some(scalar)) if same => self.types.with_scalar(value.ty, scalar),
            _ => self.spread(wanted, value.span),
        };
        self.convert(value, to)
    }

    /// An anonymous struct with fields of these types.
    fn spread(&mut self, types: &[TypeId], span: Span) -> TypeId {
        self.spend(types.len() as u64 * cost::FIELD, span);
        let field = |(i, ty): (usize, &TypeId)| Field {
            name: format!("<{i}>"),
            ty: *ty,
            bits: None,
            hidden: false,
            offset: None,
            span: Span::NONE,
        };
        let fields = types.iter().enumerate().map(field).collect();
        let id = self.types.add_struct(Struct { name: "<values>".to_owned(), fields });
        self.types.intern(Type::Struct(id))
    }

    // Casts and constructors.

    pub(super) fn cast(
        &mut self,
        ty: &'a ast::Type,
        dims: &'a [Dim],
        operand: &'a ast::Expr,
        span: Span,
    ) -> Expr {
        let ty = self.ty(ty);
        let ty = self.array(ty, dims);
        let operand = match self.types.get(ty) {
            Type::Resource(_) => self.expr(operand),
            _ => self.value(operand),
        };
        self.cast_to(ty, operand, span)
    }

    fn cast_to(&mut self, ty: TypeId, operand: Expr, span: Span) -> Expr {
        if ty == Types::ERROR || operand.ty == Types::ERROR {
            return self.broken(span);
        }
        if ty == operand.ty {
            return Expr { span, ..operand };
        }
        if ty != Types::VOID && !convert::explicit(&self.types, operand.ty, ty) {
            let (from, to) = (self.name_of(operand.ty), self.name_of(ty));
            let report = Diagnostic::new(
                &code::TYPE_MISMATCH,
                span,
                format!("`{from}` cannot be cast to `{to}`"),
            );
            self.report(report.also(operand.span, format!("this is `{from}`")));
            return self.broken(span);
        }
        let operand = match self.types.scalar_of(ty) {
            Some(scalar) => self.adapt_in_cast(operand, scalar),
            None => operand,
        };
        Expr { span, ..self.convert(operand, ty) }
    }

    pub(super) fn construct(
        &mut self,
        ty: &'a ast::Type,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Expr {
        let ty = self.ty(ty);
        let mut values: Vec<Expr> = args.iter().map(|it| self.value(it)).collect();
        if ty == Types::ERROR || values.iter().any(|it| it.ty == Types::ERROR) {
            return self.broken(span);
        }
        let name = self.name_of(ty);
        if self.types.query_flags(ty).is_some() && values.is_empty() {
            return Expr { kind: ExprKind::Construct(Vec::new()), ty, span };
        }
        let Some(scalar) = self.types.scalar_of(ty) else {
            let report = Diagnostic::new(
                &code::TYPE_MISMATCH,
                span,
                format!("`{name}` has no constructor: only scalars, vectors and matrices do"),
            );
            self.report(
                report.help(format!("initialise a variable with a list: `{name} v = {{ … }};`")),
            );
            return self.broken(span);
        };
        if values.len() == 1
            && let Some(value) = values.pop()
        {
            return self.cast_to(ty, value, span);
        }
        let wanted = self.types.scalar_count(ty);
        let mut given = 0;
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            if self.types.scalar_of(value.ty).is_none() {
                let message =
                    format!("a `{name}` cannot be constructed from `{}`", self.name_of(value.ty));
                self.error(&code::TYPE_MISMATCH, value.span, message);
                return self.broken(span);
            }
            given += self.types.scalar_count(value.ty);
            let to = self.types.with_scalar(value.ty, scalar);
            parts.push(self.convert(value, to));
        }
        if given != wanted {
            let components = if wanted == 1 { "component" } else { "components" };
            let message =
                format!("`{name}` has {wanted} {components}, but the arguments have {given}");
            self.error(&code::BAD_INITIALIZER, span, message);
            return self.broken(span);
        }
        Expr { kind: ExprKind::Construct(parts), ty, span }
    }
}
