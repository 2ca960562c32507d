//! Attributes and annotations: `[attributes]`, and what follows a `:`.

use diag::{Diagnostic, Span, code};

use super::{Parse, Parser};
use crate::ast::{Annotation, AnnotationKind, Attribute, Ident, Register};
use crate::options::PROFILES;
use crate::token::{Punct, TokenKind};

impl Parser<'_> {
    /// All `[…]` and `[[…]]` at this point.
    pub(super) fn attributes(&mut self) -> Parse<Vec<Attribute>> {
        let mut all = Vec::new();
        while self.is(Punct::LBracket) {
            let open = self.bump().span;
            if self.is(Punct::LBracket) {
                self.bump();
                loop {
                    all.push(self.attribute(open)?);
                    if !self.eat(Punct::Comma) {
                        break;
                    }
                }
                self.close(Punct::RBracket, open)?;
                self.close(Punct::RBracket, open)?;
            } else {
                loop {
                    all.push(self.attribute(open)?);
                    if !self.eat(Punct::Comma) {
                        break;
                    }
                }
                self.close(Punct::RBracket, open)?;
            }
            let close = self.prev();
            if let Some(last) = all.last_mut() {
                last.span = last.span.to(close);
            }
        }
        Ok(all)
    }

    fn attribute(&mut self, open: Span) -> Parse<Attribute> {
        let mut name = self.attribute_name()?;
        let mut scope = None;
        if self.eat(Punct::ColonColon) {
            scope = Some(name);
            name = self.attribute_name()?;
        }
        let args = if self.is(Punct::LParen) { self.call_args()?.0 } else { Vec::new() };
        Ok(Attribute { scope, name, args, span: open.to(self.prev()) })
    }

    /// Any word: `[loop]`, `[shader("…")]`, but also keywords, as in `[unroll]`'s neighbours of other dialects.
    fn attribute_name(&mut self) -> Parse<Ident> {
        let token = self.peek();
        if token.kind != TokenKind::Ident {
            return self.unexpected("the name of an attribute");
        }
        self.bump();
        Ok(Ident { name: self.name(token.symbol), span: token.span })
    }

    /// `: SEMANTIC : register(…)`, from the first `:` on.
    pub(super) fn annotations(&mut self) -> Parse<Vec<Annotation>> {
        let mut all = Vec::new();
        while self.eat(Punct::Colon) {
            let token = self.peek();
            let start = token.span;
            let kind = match token.kind {
                TokenKind::Ident if self.nth(1).is(Punct::LParen) => match self.text(token) {
                    "register" => self.register()?,
                    "packoffset" => self.pack_offset()?,
                    "read" => self.access(false)?,
                    "write" => self.access(true)?,
                    other => {
                        let message = format!(
                            "expected `register`, `packoffset`, `read` or `write` before `(`, found `{other}`"
                        );
                        return self.syntax(token.span, message);
                    }
                },
                _ => AnnotationKind::Semantic(
                    self.ident("a semantic, `register` or `packoffset` after `:`")?,
                ),
            };
            all.push(Annotation { kind, span: start.to(self.prev()) });
        }
        Ok(all)
    }

    /// `read(caller, closesthit)` or `write(miss)`
    fn access(&mut self, writes: bool) -> Parse<AnnotationKind> {
        self.bump();
        let open = self.bump().span;
        let mut by = Vec::new();
        while !self.is(Punct::RParen) {
            by.push(self.ident("`caller` or a kind of shader, such as `closesthit`")?);
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RParen, open)?;
        Ok(AnnotationKind::Access { writes, by })
    }

    /// `register(t3, space1)`
    fn register(&mut self) -> Parse<AnnotationKind> {
        self.bump();
        let open = self.bump().span;
        let mut register = Register { slot: None, space: 0, profile: None };
        loop {
            let token = self.peek();
            let ident = self.ident("a register such as `t0`, or a `space`")?;
            let lower = ident.name.to_ascii_lowercase();
            let number = |prefix: &str| lower.strip_prefix(prefix).and_then(decimal);
            let slot =
                lower.chars().next().filter(|c| "btusci".contains(*c)).and_then(|letter| {
                    lower.get(1..).and_then(decimal).map(|number| (letter, number))
                });
            if let Some(space) = number("space") {
                register.space = space;
            } else if let Some(slot) = slot {
                register.slot = Some(slot);
                if self.is(Punct::LBracket) {
                    self.offset_in_register(&mut register)?;
                }
            } else if register.profile.is_none()
                && (lower.contains('_') || PROFILES.iter().any(|it| it.0 == lower))
            {
                register.profile = Some(ident);
            } else {
                return self.report(
                    Diagnostic::new(&code::SYNTAX, token.span, format!("`{}` is not a register", ident.name))
                        .help("registers are a letter (`b`, `t`, `u` or `s`) and a number: `register(u0, space1)`"),
                );
            }
            if !self.eat(Punct::Comma) {
                break;
            }
        }
        self.close(Punct::RParen, open)?;
        Ok(AnnotationKind::Register(register))
    }

    /// The old form `t0[2]`, which means `t2`.
    fn offset_in_register(&mut self, register: &mut Register) -> Parse<()> {
        let open = self.bump().span;
        let token = self.peek();
        let offset = if token.kind == TokenKind::Number { decimal(self.text(token)) } else { None };
        let Some(offset) = offset else { return self.unexpected("a number") };
        self.bump();
        if let Some((_, number)) = &mut register.slot {
            *number = number.saturating_add(offset);
        }
        self.close(Punct::RBracket, open).map(|_| ())
    }

    /// `packoffset(c4.y)`
    fn pack_offset(&mut self) -> Parse<AnnotationKind> {
        self.bump();
        let open = self.bump().span;
        let token = self.peek();
        let ident = self.ident("an offset such as `c4.y`")?;
        let row = ident.name.strip_prefix(['c', 'C']).and_then(decimal);
        let mut column = Some(0);
        if self.eat(Punct::Dot) {
            let component = self.ident("a component")?;
            column = match component.name.as_str() {
                "x" | "r" => Some(0),
                "y" | "g" => Some(1),
                "z" | "b" => Some(2),
                "w" | "a" => Some(3),
                _ => None,
            };
        }
        let place =
            row.zip(column).and_then(|(row, column)| row.checked_mul(4)?.checked_add(column));
        let Some(component) = place else {
            let span = token.span.to(self.prev());
            return self.report(
                Diagnostic::new(&code::SYNTAX, span, "this is not an offset in a constant buffer")
                    .help("write an offset as `c4` or `c4.y`"),
            );
        };
        self.close(Punct::RParen, open)?;
        Ok(AnnotationKind::PackOffset { component })
    }
}

fn decimal(text: &str) -> Option<u32> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}
