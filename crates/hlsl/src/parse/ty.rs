//! Types, modifiers, paths and template arguments; and look-ahead for types.
//!
//! The look-ahead ([`Parser::type_ahead`]) builds nothing and reports nothing: it only finds the token after a type.
//! Brackets of template arguments are matched, not parsed, since the name before them says what they are.

use diag::{Diagnostic, Span, code};

use super::scope::{Builtin, Meaning, Scopes, Space};
use super::{Parse, Parser};
use crate::ast::{
    Dim, Ident, Modifier, Modifiers, Numeric, Path, Scalar, Segment, Shape, TemplateArg, Type,
    TypeKind,
};
use crate::token::{Keyword, Punct, Symbol, Token, TokenKind};

/// What a path refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PathMeaning {
    Type(Option<Space>),
    Builtin(Builtin),
    Namespace(Space),
    ValueTemplate,
    Value,
    /// No known declaration has this name.
    Unknown,
}

impl PathMeaning {
    pub(super) fn is_type(self) -> bool {
        matches!(
            self,
            PathMeaning::Type(_) | PathMeaning::Builtin(Builtin::Numeric(_) | Builtin::Object)
        )
    }
}

impl Parser<'_> {
    // Names.

    /// The meaning of an identifier; in a space where one is given.
    fn meaning(&mut self, symbol: Symbol, space: Option<Space>) -> PathMeaning {
        let found = match space {
            Some(space) => self.scopes.find_in(space, symbol),
            None => self.scopes.find(symbol),
        };
        match found {
            Some(Meaning::Value) => PathMeaning::Value,
            Some(Meaning::Type { space, .. }) => PathMeaning::Type(space),
            Some(Meaning::Namespace(space)) => PathMeaning::Namespace(space),
            Some(Meaning::ValueTemplate) => PathMeaning::ValueTemplate,
            None if space.is_some_and(|it| it != Scopes::GLOBAL) => PathMeaning::Unknown,
            None => self.library_meaning(symbol),
        }
    }

    /// The number of tokens before the name in `hlsl::x` or `::hlsl::x`, where `hlsl` is the namespace of what the
    /// language declares. A namespace of that name in the source comes first.
    fn library_ahead(&mut self, index: usize) -> Option<usize> {
        let before = usize::from(self.at(index).is(Punct::ColonColon));
        let token = self.at(index + before);
        let is_path = self.at(index + before + 1).is(Punct::ColonColon);
        if !is_path || !self.is_name(token) || self.text(token) != "hlsl" {
            return None;
        }
        let name = self.at(index + before + 2).symbol;
        let is_declared = match self.scopes.find(token.symbol) {
            None => false,
            // Its functions and variables are known to `check` alone.
            Some(Meaning::Namespace(space)) => {
                self.scopes.find_in(space, name).is_some()
                    || self.library_meaning(name) == PathMeaning::Unknown
            }
            Some(Meaning::Type { .. } | Meaning::Value | Meaning::ValueTemplate) => true,
        };
        (!is_declared).then_some(before + 2)
    }

    /// The meaning of a name in the language, regardless of the source's declarations.
    fn library_meaning(&mut self, symbol: Symbol) -> PathMeaning {
        match self.scopes.builtin(symbol, self.names) {
            Builtin::Nothing | Builtin::Template => PathMeaning::Unknown,
            builtin @ (Builtin::Numeric(_) | Builtin::Object) => PathMeaning::Builtin(builtin),
        }
    }

    /// Reports a use of `hlsl::` before the version that has it.
    fn gate_library(&mut self, span: Span) {
        if self.has_library {
            return;
        }
        let message = "HLSL has a namespace `hlsl` only from version 202x on";
        let report = Diagnostic::new(&code::UNKNOWN_NAME, span, message).fix(
            "leave it out, or compile with `-HV 202x`",
            span,
            "",
        );
        self.sink.push(report);
    }

    /// Whether `<` after this name starts template arguments.
    fn takes_arguments(&mut self, symbol: Symbol, space: Option<Space>) -> bool {
        let found = match space {
            Some(space) => self.scopes.find_in(space, symbol),
            None => self.scopes.find(symbol),
        };
        match found {
            Some(Meaning::Type { template, .. }) => template,
            Some(Meaning::ValueTemplate) => true,
            Some(Meaning::Value | Meaning::Namespace(_)) => false,
            None => self.scopes.builtin(symbol, self.names) == Builtin::Object,
        }
    }

    /// The index after a path that starts at `index`, and its meaning. Consumes nothing.
    pub(super) fn path_ahead(&mut self, mut index: usize) -> Option<(usize, PathMeaning)> {
        let mut space = None;
        if let Some(tokens) = self.library_ahead(index) {
            return self.library_path_ahead(index + tokens);
        }
        if self.at(index).is(Punct::ColonColon) {
            index += 1;
            space = Some(Scopes::GLOBAL);
        }
        loop {
            let token = self.at(index);
            if !self.is_name(token) {
                return None;
            }
            let meaning = self.meaning(token.symbol, space);
            let templated =
                self.at(index + 1).is(Punct::Less) && self.takes_arguments(token.symbol, space);
            index += 1;
            if templated {
                index = self.arguments_ahead(index)?;
            }
            if !self.at(index).is(Punct::ColonColon) {
                return Some((index, meaning));
            }
            space = match meaning {
                PathMeaning::Type(Some(space)) | PathMeaning::Namespace(space) => Some(space),
                _ => return self.unknown_path_ahead(index),
            };
            index += 1;
        }
    }

    /// The rest of a path, after its `hlsl::`.
    fn library_path_ahead(&mut self, index: usize) -> Option<(usize, PathMeaning)> {
        let token = self.at(index);
        if !self.is_name(token) {
            return None;
        }
        let meaning = self.library_meaning(token.symbol);
        let is_object = meaning == PathMeaning::Builtin(Builtin::Object);
        let mut end = index + 1;
        if is_object && self.at(end).is(Punct::Less) {
            end = self.arguments_ahead(end)?;
        }
        if self.at(end).is(Punct::ColonColon) {
            return self.unknown_path_ahead(end);
        }
        Some((end, meaning))
    }

    /// The rest of a path whose names are not known, from a `::` on.
    fn unknown_path_ahead(&mut self, mut index: usize) -> Option<(usize, PathMeaning)> {
        while self.at(index).is(Punct::ColonColon) {
            if !self.is_name(self.at(index + 1)) {
                return None;
            }
            index += 2;
        }
        Some((index, PathMeaning::Unknown))
    }

    /// The index after the `>` that matches the `<` at `index`; that of a `>>` if its first half is the match.
    pub(super) fn arguments_ahead(&self, mut index: usize) -> Option<usize> {
        let mut angles = 0usize;
        let mut brackets = 0usize;
        loop {
            let token = self.at(index);
            index += 1;
            let TokenKind::Punct(punct) = token.kind else {
                if token.kind == TokenKind::Eof {
                    return None;
                }
                continue;
            };
            match punct {
                Punct::LParen | Punct::LBracket => brackets += 1,
                Punct::RParen | Punct::RBracket => brackets = brackets.checked_sub(1)?,
                Punct::Semi | Punct::LBrace | Punct::RBrace => return None,
                Punct::Less if brackets == 0 => angles += 1,
                Punct::Greater if brackets == 0 => angles = angles.checked_sub(1)?,
                Punct::Shr if brackets == 0 && angles == 1 => return Some(index - 1),
                Punct::Shr if brackets == 0 => angles = angles.checked_sub(2)?,
                _ => continue,
            }
            if angles == 0 {
                return Some(index);
            }
        }
    }

    /// The index after the type at `index`, if the tokens there can only be a type. Consumes nothing.
    pub(super) fn type_ahead(&mut self, mut index: usize) -> Option<usize> {
        let mut sure = false;
        while let Some(keyword) = self.at(index).keyword() {
            match keyword {
                Keyword::Void | Keyword::Auto => return Some(index + 1),
                Keyword::Unsigned | Keyword::Signed => {
                    index += 1;
                    let follows = self.at(index);
                    let word = follows.kind == TokenKind::Ident && is_int_word(self.text(follows));
                    return Some(index + usize::from(word));
                }
                Keyword::Typename | Keyword::Struct | Keyword::Enum | Keyword::Class => {
                    sure = true;
                    index += 1;
                }
                _ if modifier(keyword).is_some() && !keyword.is_contextual() => {
                    sure = true;
                    index += 1;
                }
                _ => break,
            }
        }
        let (end, meaning) = self.path_ahead(index)?;
        (sure || meaning.is_type()).then(|| {
            // `T const`
            if self.at(end).is_keyword(Keyword::Const) { end + 1 } else { end }
        })
    }

    /// A path, with template arguments where its names take them.
    pub(super) fn path(&mut self, what: &str) -> Parse<(Path, PathMeaning)> {
        let start = self.peek().span;
        let mut library = false;
        if let Some(tokens) = self.library_ahead(self.pos) {
            library = true;
            (0..tokens).for_each(|_| {
                self.bump();
            });
            self.gate_library(start.to(self.prev()));
        }
        let global = !library && self.eat(Punct::ColonColon);
        let mut space = global.then_some(Scopes::GLOBAL);
        let mut scope = Vec::new();
        // After an unknown name, everything is unknown.
        let mut lost = false;
        loop {
            let symbol = self.peek().symbol;
            let ident = self.ident(what)?;
            let meaning = match (lost, library && scope.is_empty()) {
                (true, _) => PathMeaning::Unknown,
                (false, true) => self.library_meaning(symbol),
                (false, false) => self.meaning(symbol, space),
            };
            let takes = match library {
                true => meaning == PathMeaning::Builtin(Builtin::Object),
                false => self.takes_arguments(symbol, space),
            };
            let mut args = None;
            if self.is(Punct::Less) && !lost && takes {
                args = Some(self.template_args()?);
            }
            let last = Segment { ident, args };
            if !self.is(Punct::ColonColon) {
                let span = start.to(self.prev());
                return Ok((Path { global, library, scope, last, span }, meaning));
            }
            self.bump();
            self.eat_kw(Keyword::Template);
            scope.push(last);
            match meaning {
                PathMeaning::Type(Some(inner)) | PathMeaning::Namespace(inner) => {
                    space = Some(inner)
                }
                PathMeaning::Type(None)
                | PathMeaning::Builtin(_)
                | PathMeaning::ValueTemplate
                | PathMeaning::Value
                | PathMeaning::Unknown => lost = true,
            }
        }
    }

    /// `< … >`
    pub(super) fn template_args(&mut self) -> Parse<Vec<TemplateArg>> {
        let open = self.bump().span;
        let around = std::mem::replace(&mut self.no_greater, true);
        let args = self.nested(|this| this.template_arg_list(open));
        self.no_greater = around;
        args
    }

    fn template_arg_list(&mut self, open: Span) -> Parse<Vec<TemplateArg>> {
        let mut args = Vec::new();
        if !self.is(Punct::Greater) {
            loop {
                args.push(self.template_arg()?);
                if !self.eat(Punct::Comma) {
                    break;
                }
            }
        }
        self.close_angle(open)?;
        Ok(args)
    }

    fn template_arg(&mut self) -> Parse<TemplateArg> {
        let ends = |token: Token| {
            matches!(
                token.kind,
                TokenKind::Punct(Punct::Comma | Punct::Greater | Punct::Shr | Punct::GreaterEqual)
            )
        };
        match self.type_ahead(self.pos) {
            Some(end) if ends(self.at(end)) => Ok(TemplateArg::Type(self.ty()?)),
            Some(end) if self.at(end).is(Punct::LBracket) => {
                let element = self.ty()?;
                Ok(TemplateArg::Type(self.array_of(element)?))
            }
            _ => Ok(TemplateArg::Expr(self.conditional()?)),
        }
    }

    /// The `>` of template arguments, which may be the first half of `>>`.
    pub(super) fn close_angle(&mut self, open: Span) -> Parse<()> {
        let token = self.peek();
        if !self.half && (token.is(Punct::Shr) || token.is(Punct::GreaterEqual)) {
            self.half = true;
            return Ok(());
        }
        self.close(Punct::Greater, open).map(|_| ())
    }

    // Types.

    /// A type with its modifiers, as in a cast or a template argument.
    pub(super) fn ty(&mut self) -> Parse<Type> {
        let start = self.peek().span;
        let mut modifiers = Modifiers::default();
        self.modifiers(&mut modifiers);
        let mut ty = self.bare_type()?;
        self.modifiers(&mut modifiers);
        ty.modifiers = modifiers;
        ty.span = start.to(self.prev());
        Ok(ty)
    }

    /// A type without modifiers.
    pub(super) fn bare_type(&mut self) -> Parse<Type> {
        self.bare_type_in().map(|(ty, _)| ty)
    }

    /// A type without modifiers, and the names in it as far as they are known.
    pub(super) fn bare_type_in(&mut self) -> Parse<(Type, Option<Space>)> {
        let token = self.peek();
        let order = self.order();
        let numeric = |scalar| TypeKind::Numeric(Numeric { scalar, shape: Shape::Scalar });
        let mut space = None;
        let kind = match token.keyword() {
            Some(Keyword::Void) => {
                self.bump();
                TypeKind::Void
            }
            Some(Keyword::Auto) => {
                self.bump();
                TypeKind::Auto
            }
            Some(sign @ (Keyword::Unsigned | Keyword::Signed)) => {
                self.bump();
                let unsigned = sign == Keyword::Unsigned;
                let follows = self.peek();
                let word = if follows.kind == TokenKind::Ident { self.text(follows) } else { "" };
                match unsigned_of(word, unsigned) {
                    Some(found) => {
                        self.bump();
                        TypeKind::Numeric(found)
                    }
                    None => numeric(if unsigned { Scalar::Uint } else { Scalar::Int }),
                }
            }
            _ => {
                if matches!(
                    token.keyword(),
                    Some(Keyword::Typename | Keyword::Struct | Keyword::Class | Keyword::Enum)
                ) {
                    self.bump();
                }
                let (mut path, meaning) = self.path("a type")?;
                if meaning == PathMeaning::Unknown
                    && path.last.args.is_none()
                    && self.is(Punct::Less)
                {
                    // In type position, an unknown name with `<` can only be a template.
                    path.last.args = Some(self.template_args()?);
                    path.span = path.span.to(self.prev());
                }
                match meaning {
                    PathMeaning::Builtin(Builtin::Numeric(found)) => {
                        if path.last.args.is_some() {
                            let message =
                                format!("`{}` takes no template arguments", path.last.ident.name);
                            return self.syntax(path.span, message);
                        }
                        TypeKind::Numeric(found)
                    }
                    PathMeaning::Type(inner) => {
                        space = inner;
                        TypeKind::Named(path)
                    }
                    PathMeaning::Builtin(
                        Builtin::Object | Builtin::Nothing | Builtin::Template,
                    )
                    | PathMeaning::Namespace(_)
                    | PathMeaning::ValueTemplate
                    | PathMeaning::Value
                    | PathMeaning::Unknown => TypeKind::Named(path),
                }
            }
        };
        let ty =
            Type { kind, modifiers: Modifiers::default(), order, span: token.span.to(self.prev()) };
        Ok((ty, space))
    }

    /// Parses modifiers while there are any.
    pub(super) fn modifiers(&mut self, into: &mut Modifiers) {
        while let Some(keyword) = self.peek().keyword() {
            let Some(modifier) = modifier(keyword) else { return };
            if keyword.is_contextual() && !self.is_modifier_here() {
                return;
            }
            let span = self.bump().span;
            into.list.push((modifier, span));
        }
    }

    /// Whether a word that can be a name is a modifier here: the rest of a declaration follows it.
    pub(super) fn is_modifier_here(&mut self) -> bool {
        let follows = self.nth(1);
        let named_type = self
            .scopes
            .find(self.peek().symbol)
            .is_some_and(|it| matches!(it, Meaning::Type { .. }));
        if named_type || follows.kind != TokenKind::Ident {
            return false;
        }
        match follows.keyword() {
            Some(keyword) => modifier(keyword).is_some() || self.type_ahead(self.pos + 1).is_some(),
            None => true,
        }
    }

    /// Array sizes: `[4][2]`, `[]`
    pub(super) fn dims(&mut self) -> Parse<Vec<Dim>> {
        let mut dims = Vec::new();
        while self.is(Punct::LBracket) && !self.is_attribute_ahead() {
            let open = self.bump().span;
            let size =
                if self.is(Punct::RBracket) { None } else { Some(self.bracketed(Self::expr)?) };
            let close = self.close(Punct::RBracket, open)?;
            dims.push(Dim { size, span: open.to(close) });
            if dims.len() > 64 {
                return self.too_deep(open);
            }
        }
        Ok(dims)
    }

    /// The type of arrays of these, by the sizes that follow; the type itself without any.
    pub(super) fn array_of(&mut self, element: Type) -> Parse<Type> {
        let dims = self.dims()?;
        if dims.is_empty() {
            return Ok(element);
        }
        let (order, span) = (element.order, element.span.to(self.prev()));
        let kind = TypeKind::Array(Box::new(element), dims);
        Ok(Type { kind, modifiers: Modifiers::default(), order, span })
    }

    /// Parses something in brackets, where `>` is an operator again.
    pub(super) fn bracketed<T>(&mut self, read: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let around = std::mem::replace(&mut self.no_greater, false);
        let result = read(self);
        self.no_greater = around;
        result
    }

    /// A name for an unnamed struct or enum, which no source can write.
    pub(super) fn unnamed(&mut self, what: &str, span: Span) -> Ident {
        self.unnamed += 1;
        Ident { name: crate::ast::Name::new(format!("<unnamed {what} {}>", self.unnamed)), span }
    }

    /// The error for a type where a value is needed.
    pub(super) fn type_as_value<T>(&mut self, span: Span, name: &str) -> Parse<T> {
        self.report(
            Diagnostic::new(
                &code::SYNTAX,
                span,
                format!("`{name}` is a type, but a value is expected here"),
            )
            .help(format!("write `{name}(…)` to construct a value")),
        )
    }
}

fn is_int_word(word: &str) -> bool {
    unsigned_of(word, true).is_some()
}

/// The type that `unsigned WORD` or `signed WORD` names.
fn unsigned_of(word: &str, unsigned: bool) -> Option<Numeric> {
    let (base, shape) = match word.as_bytes() {
        [.., rows @ b'1'..=b'4', b'x', columns @ b'1'..=b'4'] => {
            (&word[..word.len() - 3], Shape::Matrix(rows - b'0', columns - b'0'))
        }
        [.., length @ b'1'..=b'4'] => (&word[..word.len() - 1], Shape::Vector(length - b'0')),
        _ => (word, Shape::Scalar),
    };
    let scalar = match (base, unsigned) {
        ("int", true) => Scalar::Uint,
        ("int", false) => Scalar::Int,
        ("short", true) => Scalar::Uint16,
        ("short", false) => Scalar::Int16,
        ("int64_t", true) => Scalar::Uint64,
        ("int64_t", false) => Scalar::Int64,
        _ => return None,
    };
    Some(Numeric { scalar, shape })
}

/// The modifier for a keyword.
pub(super) fn modifier(keyword: Keyword) -> Option<Modifier> {
    Some(match keyword {
        Keyword::Const => Modifier::Const,
        Keyword::Static => Modifier::Static,
        Keyword::Extern => Modifier::Extern,
        Keyword::Volatile => Modifier::Volatile,
        Keyword::Inline => Modifier::Inline,
        Keyword::Export => Modifier::Export,
        Keyword::GroupShared => Modifier::GroupShared,
        Keyword::Uniform => Modifier::Uniform,
        Keyword::Shared => Modifier::Shared,
        Keyword::Precise => Modifier::Precise,
        Keyword::GloballyCoherent => Modifier::GloballyCoherent,
        Keyword::ReorderCoherent => Modifier::ReorderCoherent,
        Keyword::RowMajor => Modifier::RowMajor,
        Keyword::ColumnMajor => Modifier::ColumnMajor,
        Keyword::Snorm => Modifier::Snorm,
        Keyword::Unorm => Modifier::Unorm,
        Keyword::NoInterpolation => Modifier::NoInterpolation,
        Keyword::Linear => Modifier::Linear,
        Keyword::Centroid => Modifier::Centroid,
        Keyword::NoPerspective => Modifier::NoPerspective,
        Keyword::Sample => Modifier::Sample,
        Keyword::In => Modifier::In,
        Keyword::Out => Modifier::Out,
        Keyword::InOut => Modifier::InOut,
        Keyword::Point => Modifier::Point,
        Keyword::Line => Modifier::Line,
        Keyword::Triangle => Modifier::Triangle,
        Keyword::LineAdj => Modifier::LineAdj,
        Keyword::TriangleAdj => Modifier::TriangleAdj,
        Keyword::Vertices => Modifier::Vertices,
        Keyword::Indices => Modifier::Indices,
        Keyword::Primitives => Modifier::Primitives,
        Keyword::Payload => Modifier::Payload,
        _ => return None,
    })
}
