//! Implicit conversions, written out where a value's type differs from the type that its context expects.

use diag::{Diagnostic, Span, code};

use super::Checker;
use crate::hir::{Expr, ExprKind};
use crate::types::convert;
use crate::types::{ResourceType, Scalar, Type, TypeId, Types};

impl Checker<'_> {
    /// The error expression, which replaces anything that was reported.
    pub(super) fn broken(&self, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(0), ty: Types::ERROR, span }
    }

    pub(super) fn constant_of(&self, ty: TypeId, bits: u64, span: Span) -> Expr {
        Expr { kind: ExprKind::Const(bits), ty, span }
    }

    /// Converts an expression to a type that it is known to convert to.
    pub(super) fn convert(&mut self, expr: Expr, to: TypeId) -> Expr {
        if expr.ty == to || expr.ty == Types::ERROR || to == Types::ERROR {
            return expr;
        }
        // An array passes unchanged to an array type of open size.
        if matches!(self.types.get(to), Type::Array { len: 0, .. }) {
            return expr;
        }
        let expr = match self.view(expr, to) {
            Ok(viewed) => return viewed,
            Err(expr) => expr,
        };
        let expr = match (self.literal_of(&expr), self.types.scalar_of(to)) {
            (Some(_), Some(scalar)) => self.adapt(expr, scalar),
            (Some(_), None) => self.settle(expr),
            (None, _) => expr,
        };
        if expr.ty == to {
            return expr;
        }
        let span = expr.span;
        Expr { kind: ExprKind::Convert(expr.into()), ty: to, span }
    }

    /// A `ConstantBuffer<T>` used as a value means its contents.
    pub(super) fn contents(&mut self, expr: Expr) -> Expr {
        match self.types.get(expr.ty) {
            Type::Resource(ResourceType::Constant(ty) | ResourceType::TextureBuffer(ty)) => {
                let span = expr.span;
                Expr { kind: ExprKind::Convert(expr.into()), ty, span }
            }
            _ => expr,
        }
    }

    /// The implicit conversion between two types in this version of the language.
    pub(super) fn implicit(&self, from: TypeId, to: TypeId) -> Option<convert::Implicit> {
        convert::implicit(&self.types, from, to).or_else(|| {
            let is_loose = !self.is_2021() && convert::is_same_shape(&self.types, from, to);
            is_loose.then_some(convert::Implicit {
                rank: convert::Rank::Base,
                truncates: false,
                narrows: false,
            })
        })
    }

    /// Converts an expression to a type implicitly; reports where no implicit conversion exists.
    pub(super) fn coerce(&mut self, expr: Expr, to: TypeId) -> Expr {
        let expr = if matches!(self.types.get(to), Type::Resource(_)) {
            expr
        } else {
            self.contents(expr)
        };
        match self.implicit(expr.ty, to) {
            Some(how) => {
                if how.truncates {
                    self.warn_truncation(&expr, to);
                }
                self.warn_loss(&expr, to);
                if how.narrows {
                    self.warn_narrowing(&expr, to);
                }
                self.convert(expr, to)
            }
            None => {
                let (from, wanted) = (self.name_of(expr.ty), self.name_of(to));
                let mut report = Diagnostic::new(
                    &code::TYPE_MISMATCH,
                    expr.span,
                    format!("`{from}` does not convert to `{wanted}`"),
                )
                .label(format!("this is `{from}`"));
                let is_number = self.types.scalar_of(expr.ty).is_some();
                if is_number && convert::explicit(&self.types, expr.ty, to) {
                    report = report.help(format!("cast it if this is intended: `({wanted})…`"));
                }
                self.report(report);
                self.broken(expr.span)
            }
        }
    }

    /// Warns about a division of whole numbers whose result becomes a float: its fraction is gone.
    pub(super) fn warn_cut(&mut self, expr: &Expr, to: TypeId) {
        let ExprKind::Const(bits) = expr.kind else { return };
        let is_float = self.types.scalar_of(to).is_some_and(Scalar::is_float);
        let is_whole = self.types.get(expr.ty) == Type::Scalar(Scalar::LiteralInt);
        let at = (expr.span.lo, expr.span.hi);
        if !is_float || !is_whole || !self.cut_divisions.contains(&at) {
            return;
        }
        let message = format!("this division of integers is {}, without its fraction", bits as i64);
        let report = Diagnostic::new(&code::LOSSY_CONVERSION, expr.span, message);
        self.report(report.help("write one of the numbers with a point, such as `1.0`"));
    }

    /// Warns about a literal with more bits than its type has.
    fn warn_wide(&mut self, expr: &Expr, bits: u64, to: TypeId) {
        let Some(scalar) = self.types.scalar_of(to) else { return };
        let is_unsigned = self.unsigned_literals.contains(&(expr.span.lo, expr.span.hi));
        let value = if is_unsigned { i128::from(bits) } else { i128::from(bits as i64) };
        // Either sign fits 32 bits: `0xffffffff` is a common `int`.
        let (least, most, becomes) = match scalar {
            Scalar::I32 => (i32::MIN.into(), u32::MAX.into(), i64::from(bits as i32)),
            Scalar::U32 => (i32::MIN.into(), u32::MAX.into(), i64::from(bits as u32)),
            Scalar::I64 => (i64::MIN, i64::MAX, bits as i64),
            _ if scalar.is_float() && self.literal_of(expr).is_some() => {
                (i64::MIN, i64::MAX, bits as i64)
            }
            _ => return,
        };
        if (i128::from(least)..=i128::from(most)).contains(&value) {
            return;
        }
        let name = self.name_of(to);
        let (into, help) = match scalar.is_float() {
            true => ("int64_t", format!("write it with a point: `{value}.0`")),
            false => (name.as_str(), format!("cast with `({name})` if this is intended")),
        };
        let message = format!("`{value}` does not fit into `{into}` and becomes `{becomes}`");
        let report = Diagnostic::new(&code::LOSSY_CONVERSION, expr.span, message);
        self.report(report.help(help));
    }

    /// Warns about a literal with a fraction where an integer is expected, and one that is beyond the range of that.
    fn warn_loss(&mut self, expr: &Expr, to: TypeId) {
        let ExprKind::Const(bits) = expr.kind else { return };
        match self.types.get(expr.ty) {
            Type::Scalar(Scalar::LiteralInt) => {
                self.warn_cut(expr, to);
                return self.warn_wide(expr, bits, to);
            }
            // What HLSL 202x makes of such a literal.
            Type::Scalar(Scalar::U64) => return self.warn_wide(expr, bits, to),
            _ => {}
        }
        let value = match self.types.get(expr.ty) {
            Type::Scalar(Scalar::LiteralFloat) => f64::from_bits(bits),
            Type::Scalar(Scalar::F32 | Scalar::Half) => f64::from(f32::from_bits(bits as u32)),
            _ => return,
        };
        let Some(scalar) = self.types.scalar_of(to).filter(|it| it.is_int()) else { return };
        let (name, whole) = (self.name_of(to), value.trunc());
        // Conversions saturate.
        let becomes = match scalar {
            Scalar::I16 => i128::from(value as i16),
            Scalar::U16 => i128::from(value as u16),
            Scalar::I32 => i128::from(value as i32),
            Scalar::U32 => i128::from(value as u32),
            Scalar::I64 => i128::from(value as i64),
            Scalar::U64 => i128::from(value as u64),
            _ => value as i128,
        };
        let (message, what) = if becomes != whole as i128 {
            (
                format!("`{value:?}` does not fit into `{name}` and becomes `{becomes}`"),
                "a number that fits",
            )
        } else if value != whole {
            let message = format!("`{value}` becomes `{whole}` here, where `{name}` is expected");
            (message, "the integer")
        } else {
            return;
        };
        self.report(
            Diagnostic::new(&code::LOSSY_CONVERSION, expr.span, message)
                .help(format!("write {what}, or cast with `({name})` if this is intended")),
        );
    }

    /// Warns about a 64-bit number that narrows to a smaller type of its kind: a program that chose the large type
    /// needs its precision.
    fn warn_narrowing(&mut self, expr: &Expr, to: TypeId) {
        let is_large =
            matches!(self.types.scalar_of(expr.ty), Some(Scalar::F64 | Scalar::I64 | Scalar::U64));
        let is_float = |ty| self.types.scalar_of(ty).is_some_and(Scalar::is_float);
        if !is_large || is_float(expr.ty) != is_float(to) || matches!(expr.kind, ExprKind::Const(_))
        {
            return;
        }
        let (from, to) = (self.name_of(expr.ty), self.name_of(to));
        let message = format!("`{from}` narrows to `{to}` here");
        self.report(
            Diagnostic::new(&code::LOSSY_CONVERSION, expr.span, message)
                .help(format!("cast with `({to})` if this is intended")),
        );
    }

    pub(super) fn warn_truncation(&mut self, expr: &Expr, to: TypeId) {
        let (from, to) = (self.name_of(expr.ty), self.name_of(to));
        self.report(
            Diagnostic::new(
                &code::IMPLICIT_TRUNCATION,
                expr.span,
                format!("`{from}` loses components when it becomes `{to}`"),
            )
            .help(format!("use a swizzle, or cast with `({to})`, if this is intended")),
        );
    }

    /// Whether a type is an `enum class`.
    pub(super) fn is_scoped(&self, ty: TypeId) -> bool {
        self.types.scalar_of(ty).is_some_and(Scalar::is_scoped)
    }

    /// Converts a value of an unscoped enumeration to its integer; other values are unchanged.
    pub(super) fn decay(&mut self, expr: Expr) -> Expr {
        let ty = self.decayed(expr.ty);
        self.convert(expr, ty)
    }

    pub(super) fn decayed(&mut self, ty: TypeId) -> TypeId {
        match self.types.scalar_of(ty) {
            Some(scalar @ Scalar::Enum(_)) if !scalar.is_scoped() => {
                self.types.with_scalar(ty, scalar.number())
            }
            _ => ty,
        }
    }

    /// Converts an expression to a condition: one `bool`.
    pub(super) fn condition(&mut self, expr: Expr, what: &str) -> Expr {
        let expr = self.contents(expr);
        if expr.ty == Types::ERROR {
            return expr;
        }
        match convert::shape_of(&self.types, expr.ty) {
            Some(convert::Shape::Scalar | convert::Shape::Vector(1)) => {
                if self.is_scoped(expr.ty) {
                    return self.coerce(expr, Types::BOOL);
                }
                self.convert(expr, Types::BOOL)
            }
            Some(_) => {
                let name = self.name_of(expr.ty);
                self.report(
                    Diagnostic::new(
                        &code::VECTOR_CONDITION,
                        expr.span,
                        format!("the condition of {what} must be a single `bool`, not `{name}`"),
                    )
                    .help("`any(…)` or `all(…)` reduces several to one"),
                );
                self.broken(expr.span)
            }
            None => self.coerce(expr, Types::BOOL),
        }
    }

    /// Converts an expression to an index: `int` and `uint` stay, other numbers are converted.
    pub(super) fn index(&mut self, expr: Expr) -> Expr {
        let expr = self.contents(expr);
        let expr = self.settle(expr);
        match self.types.get(expr.ty) {
            Type::Error => expr,
            Type::Scalar(scalar) if scalar.is_int() && !scalar.is_scoped() => match scalar {
                Scalar::I32 | Scalar::U32 => expr,
                other if other.sign() == ops::Sign::Signed => self.convert(expr, Types::INT),
                _ => self.convert(expr, Types::UINT),
            },
            Type::Scalar(Scalar::Bool) => self.convert(expr, Types::UINT),
            _ => self.coerce(expr, Types::INT),
        }
    }
}
