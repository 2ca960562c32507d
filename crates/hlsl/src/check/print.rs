//! Calls for debugging: `printf`, whose format decides which arguments it takes, the assertions of the built-in header,
//! and `dx::IsDebuggingEnabled`.

use std::sync::Arc;

use diag::{Diagnostic, Span, code};
use ir::print::{Conversion, FormatError, FormatString, Style};

use super::Checker;
use crate::ast;
use crate::hir::{Arg, Expr, ExprKind};
use crate::library::{self, Function, Print};
use crate::types::convert;
use crate::types::{Scalar, Type, TypeId, Types};

impl<'a> Checker<'a> {
    /// The text of a string literal, or of a constant initialised with one.
    fn text(&self, expr: &Expr) -> Option<Arc<str>> {
        match expr.kind {
            ExprKind::Const(number) if self.types.get(expr.ty) == Type::String => {
                self.types.text(number).cloned()
            }
            _ => None,
        }
    }

    pub(super) fn printf(&mut self, ident: &ast::Ident, args: Vec<Expr>, span: Span) -> Expr {
        let Some(text) = args.first().and_then(|it| self.text(it)) else {
            let at = args.first().map_or(ident.span, |it| it.span);
            let message = "the format of `printf` must be a string literal";
            let report = Diagnostic::new(&code::BAD_FORMAT, at, message);
            self.report(report.help("for example `printf(\"lane %u\\n\", WaveGetLaneIndex())`"));
            return self.broken(span);
        };
        let literal = args[0].span;
        let format = match FormatString::parse(&text) {
            Ok(format) => format,
            Err(FormatError { at, message, help }) => {
                let at = place(literal, &text, at.start, at.end);
                let mut report = Diagnostic::new(&code::BAD_FORMAT, at, message);
                if let Some(help) = help {
                    report = report.help(help);
                }
                self.report(report);
                return self.broken(span);
            }
        };
        let mut passed = Vec::with_capacity(args.len());
        let mut args = args.into_iter();
        passed.extend(args.next().map(Arg::In));
        let mut is_broken = false;
        for conversion in format.conversions() {
            let spelling = &text[conversion.at.clone()];
            let at = place(literal, &text, conversion.at.start, conversion.at.end);
            let Some(arg) = args.next() else {
                let wanted = format.conversions().count();
                let message = format!("no argument is given for `{spelling}`");
                let given = passed.len() - 1;
                let plural = if wanted == 1 { "" } else { "s" };
                let count = format!(
                    "the format takes {wanted} argument{plural}, and {given} {} given",
                    if given == 1 { "is" } else { "are" }
                );
                let report = Diagnostic::new(&code::BAD_FORMAT, at, message).note(count);
                self.report(report.help("write `%%` for a percent sign"));
                return self.broken(span);
            };
            match self.printable(arg, conversion, spelling, at) {
                Some(arg) => passed.push(Arg::In(arg)),
                None => is_broken = true,
            }
        }
        if let Some(extra) = args.next() {
            let message = "the format does not print this argument";
            let report = Diagnostic::new(&code::BAD_FORMAT, extra.span, message);
            let ty = self.printed_type(extra.ty);
            let report = match self.types.scalar_of(ty).and_then(|_| self.spelling(ty)) {
                Some(spelling) => report.help(format!("add `{spelling}` to the format")),
                None => report,
            };
            self.report(report);
            return self.broken(span);
        }
        if is_broken {
            return self.broken(span);
        }
        let kind = ExprKind::Library { function: Function::Print(Print::Always), args: passed };
        Expr { kind, ty: Types::VOID, span }
    }

    /// An argument as a conversion prints it; `None` after a report.
    fn printable(
        &mut self,
        arg: Expr,
        conversion: &Conversion,
        spelling: &str,
        at: Span,
    ) -> Option<Expr> {
        let arg = self.decay(arg);
        let ty = self.printed_type(arg.ty);
        let fits = match self.types.get(ty) {
            Type::Scalar(scalar) => conversion.components == 1 && takes(conversion, scalar),
            Type::Vector(scalar, n) => conversion.components == n && takes(conversion, scalar),
            _ => false,
        };
        if fits {
            return Some(self.convert(arg, ty));
        }
        let name = self.name_of(arg.ty);
        let message = format!("`{spelling}` does not print a `{name}`");
        let report = Diagnostic::new(&code::BAD_FORMAT, arg.span, message)
            .also(at, format!("`{spelling}` prints {}", words(conversion)));
        let report = match (self.spelling(ty), self.types.get(ty)) {
            (Some(fitting), _) => report.help(format!("write `{fitting}`")),
            (None, Type::Matrix { .. }) => report.help("print the rows, which are vectors"),
            (None, Type::Struct(_) | Type::Array { .. }) => {
                report.help("print the members or elements, one by one")
            }
            (None, _) => report.help("numbers, booleans and vectors of them can be printed"),
        };
        self.report(report);
        None
    }

    /// The type that a value of a literal type has when it is printed.
    fn printed_type(&mut self, ty: TypeId) -> TypeId {
        match self.types.scalar_of(ty) {
            Some(scalar @ (Scalar::LiteralInt | Scalar::LiteralFloat)) => {
                self.types.with_scalar(ty, convert::settled(scalar))
            }
            _ => ty,
        }
    }

    /// The plainest conversion for a type, if there is one.
    fn spelling(&self, ty: TypeId) -> Option<String> {
        let (scalar, count) = match self.types.get(ty) {
            Type::Scalar(scalar) | Type::Vector(scalar, 1) => (scalar, String::new()),
            Type::Vector(scalar, n) => (scalar, format!("v{n}")),
            _ => return None,
        };
        letter(scalar).map(|letter| format!("%{count}{letter}"))
    }

    /// `__wavelane_assert(condition, "text")`: a failure says what the operands of a comparison were.
    pub(super) fn assertion(&mut self, args: Vec<Expr>, span: Span) -> Expr {
        let mut args = args.into_iter();
        let (Some(condition), Some(text), None) = (args.next(), args.next(), args.next()) else {
            let message = "an assertion takes a condition and its text";
            self.error(&code::NO_MATCHING_FUNCTION, span, message);
            return self.broken(span);
        };
        if self.text(&text).is_none() {
            let message = "the text of an assertion must be a string literal";
            self.error(&code::BAD_FORMAT, text.span, message);
            return self.broken(span);
        }
        let (print, shown) = match condition.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() && self.spelling(a.ty).is_some() => {
                (Print::UnlessCompared(op), vec![*a, *b])
            }
            kind => {
                let condition = Expr { kind, ..condition };
                let is_bool = self.types.scalar_of(condition.ty) == Some(Scalar::Bool);
                let condition =
                    if is_bool { condition } else { self.coerce(condition, Types::BOOL) };
                if condition.ty == Types::ERROR {
                    return self.broken(span);
                }
                (Print::Unless, vec![condition])
            }
        };
        let args = std::iter::once(text).chain(shown).map(Arg::In).collect();
        Expr {
            kind: ExprKind::Library { function: Function::Print(print), args },
            ty: Types::VOID,
            span,
        }
    }

    /// Whether a path names `dx::IsDebuggingEnabled`, and no namespace of the program.
    pub(super) fn is_debugging_query(&self, path: &ast::Path) -> bool {
        let [scope] = &path.scope[..] else { return false };
        let is_named = scope.args.is_none() && path.last.args.is_none();
        let spelling = format_args!("{}::{}", scope.ident.name, path.last.ident.name).to_string();
        is_named
            && spelling == library::IS_DEBUGGING
            && self.scopes.find_type(self.scopes.current(), &scope.ident.name).is_none()
    }

    pub(super) fn debugging_query(
        &mut self,
        path: &'a ast::Path,
        args: &'a [ast::Expr],
        span: Span,
    ) -> Expr {
        if let Some(row) = library::overloads(library::IS_DEBUGGING).next()
            && row.since > self.shader_model()
        {
            self.needs_shader_model(path.span, row.name, row.since);
        }
        if let Some(extra) = args.first() {
            let message = format!("`{}` takes no arguments", library::IS_DEBUGGING);
            self.error(&code::NO_MATCHING_FUNCTION, extra.span, message);
            return self.broken(span);
        }
        self.constant_of(Types::BOOL, u64::from(self.options.debugging), span)
    }
}

/// The part of a string literal that holds these bytes of its text; all of it where that is not known. What can only be
/// written as an escape is taken for one of two characters, such as `\n`, if the literal has the length for it.
fn place(literal: Span, text: &str, start: usize, end: usize) -> Span {
    let escapes = |text: &str| {
        text.bytes().filter(|it| matches!(it, b'\n' | b'\t' | b'\r' | b'"' | b'\\')).count()
    };
    let written = text.len() + escapes(text) + 2;
    let is_known = literal.expansion.is_none() && (literal.hi - literal.lo) as usize == written;
    match is_known {
        true => {
            let at = |byte: usize| literal.lo + 1 + (byte + escapes(&text[..byte])) as u32;
            Span { lo: at(start), hi: at(end), ..literal }
        }
        false => literal,
    }
}

/// The letter that prints a scalar; none for what must be converted first.
pub(crate) fn letter(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::Bool | Scalar::I16 | Scalar::I32 | Scalar::Min16Int | Scalar::LiteralInt => "d",
        Scalar::U16 | Scalar::U32 | Scalar::Min16Uint => "u",
        Scalar::I64 => "ld",
        Scalar::U64 => "lu",
        scalar if scalar.is_float() => "f",
        _ => return None,
    })
}

fn takes(conversion: &Conversion, scalar: Scalar) -> bool {
    match letter(scalar) {
        None => false,
        Some("f") => conversion.style.is_float(),
        Some(letter) => !conversion.style.is_float() && conversion.long == letter.starts_with('l'),
    }
}

/// What a conversion prints, as a phrase.
fn words(conversion: &Conversion) -> String {
    let what = match (conversion.style, conversion.long) {
        (style, _) if style.is_float() => "float",
        (Style::Signed, false) => "integer",
        (Style::Signed, true) => "64-bit integer",
        (_, false) => "unsigned integer",
        (_, true) => "unsigned 64-bit integer",
    };
    match conversion.components {
        1 if what.starts_with('i') => format!("an {what}"),
        1 if what.starts_with('u') => format!("an {what}"),
        1 => format!("a {what}"),
        n => format!("a vector of {n} {what}s"),
    }
}
