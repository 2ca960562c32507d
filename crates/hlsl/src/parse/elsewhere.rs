//! Words and files of other languages, and of older ones, at the places where the parser meets them: each gets one
//! answer.

use diag::{Diagnostic, Span, code};

use super::{Parse, Parser, Reported};
use crate::token::{Flags, Keyword, Punct, Token, TokenKind};

/// Attributes of functions and statements; after a declaration, they show that a `;` is missing.
const ATTRIBUTES: &[&str] = &[
    "numthreads",
    "WaveSize",
    "WaveOpsIncludeHelperLanes",
    "RootSignature",
    "shader",
    "earlydepthstencil",
    "maxvertexcount",
    "domain",
    "partitioning",
    "outputtopology",
    "outputcontrolpoints",
    "patchconstantfunc",
    "NodeLaunch",
    "noinline",
    "unroll",
    "loop",
    "branch",
    "flatten",
    "forcecase",
    "call",
    "allow_uav_condition",
    "fastopt",
];

impl Parser<'_> {
    /// Whether the `[` at this point starts an attribute of what follows, on a separate line, rather than an index or a
    /// size.
    pub(super) fn is_attribute_ahead(&self) -> bool {
        let (open, name, next) = (self.peek(), self.nth(1), self.nth(2));
        open.is(Punct::LBracket)
            && open.flags.has(Flags::LINE_START)
            && name.kind == TokenKind::Ident
            && ATTRIBUTES.contains(&self.text(name))
            && (next.is(Punct::LParen) || next.is(Punct::RBracket) || next.is(Punct::Comma))
    }

    /// The error for `T* p` and `T& r`, where a name is expected, and for `&x`, where a value is.
    pub(super) fn no_pointers(&self, token: Token) -> Option<Diagnostic> {
        let (message, help) = if token.is(Punct::Star) {
            ("HLSL has no pointers", "pass an index into a buffer, or use an `inout` parameter")
        } else if token.is(Punct::And) {
            (
                "HLSL has no references and no addresses",
                "an `out` or `inout` parameter passes a variable: `void f(inout uint x)`",
            )
        } else {
            return None;
        };
        Some(Diagnostic::new(&code::SYNTAX, token.span, message).help(help))
    }

    /// The error for a word that is reserved for C++.
    pub(super) fn reserved(&mut self, token: Token, what: &str) -> Diagnostic {
        let word = self.text(token).to_owned();
        if let Some(report) = self.proposed_keyword(token) {
            return report;
        }
        let report = |message: String| Diagnostic::new(&code::RESERVED_WORD, token.span, message);
        match token.keyword() {
            Some(Keyword::Goto) => {
                self.has_goto = true;
                report("HLSL has no `goto`".to_owned())
                    .help("use `break`, `continue`, `return`, or a variable that a condition tests")
            }
            Some(Keyword::New | Keyword::Delete) => report(format!("HLSL has no `{word}`"))
                .help("there is no memory to allocate: declare an array or a buffer"),
            Some(Keyword::Try | Keyword::Catch | Keyword::Throw) => {
                report("HLSL has no exceptions".to_owned())
            }
            Some(Keyword::Asm) => report("HLSL has no assembly".to_owned()),
            Some(
                Keyword::StaticCast
                | Keyword::DynamicCast
                | Keyword::ConstCast
                | Keyword::ReinterpretCast,
            ) => report(format!("HLSL has no `{word}`"))
                .help("`(T)x` converts; `asuint`, `asint` and `asfloat` reinterpret the bits"),
            _ => report(format!("`{word}` is a word of the language and cannot be a name"))
                .label(format!("expected {what}")),
        }
    }

    /// Whether a `:` ends a label, after a `goto` that has been reported.
    pub(super) fn is_label(&self, token: Token) -> bool {
        self.has_goto && token.is(Punct::Colon) && self.at(self.pos - 1).kind == TokenKind::Ident
    }

    /// `technique11 T { … }`: reports it and skips it.
    pub(super) fn effect(&mut self) -> Parse<()> {
        let word = self.peek();
        let is_named = self.nth(1).kind == TokenKind::Ident;
        let open = self.nth(1 + usize::from(is_named));
        let name = self.text(word).to_ascii_lowercase();
        let is_effect = (name.starts_with("technique") || name == "fxgroup")
            && (open.is(Punct::LBrace) || open.is(Punct::Less));
        if !is_effect {
            return Ok(());
        }
        let message = format!("`{}` belongs to effect files; HLSL 6 has none", self.text(word));
        let help = "remove the block: `-E` names the entry point, and `-T` its stage";
        self.sink.push(Diagnostic::new(&code::SYNTAX, word.span, message).help(help));
        let mut depth = 0;
        while !self.is_eof() {
            let token = self.bump();
            if token.is(Punct::LBrace) {
                depth += 1;
            } else if token.is(Punct::RBrace) {
                depth -= 1;
                if depth == 0 {
                    self.eat(Punct::Semi);
                    break;
                }
            }
        }
        Err(Reported)
    }

    /// Reports a file of another language at the declaration that shows it, and reads no further.
    pub(super) fn other_language(&mut self) -> Parse<()> {
        let (first, second, third) = (self.peek(), self.nth(1), self.nth(2));
        let language = match (self.text(first), self.text(second)) {
            (
                "@",
                "group" | "binding" | "compute" | "vertex" | "fragment" | "workgroup_size" | "id"
                | "builtin" | "location" | "must_use" | "diagnostic" | "const",
            ) => "WGSL",
            ("fn", _) if second.kind == TokenKind::Ident && third.is(Punct::LParen) => "WGSL",
            ("enable" | "requires", _)
                if second.kind == TokenKind::Ident
                    && (third.is(Punct::Semi) || third.is(Punct::Comma)) =>
            {
                "WGSL"
            }
            ("var", "<") => "WGSL",
            ("layout", "(") => "GLSL",
            ("__global__", _) => "CUDA",
            ("__kernel", _) => "OpenCL",
            ("kernel", "void") => "Metal",
            _ => return Ok(()),
        };
        if self.scopes.find(first.symbol).is_some() {
            return Ok(());
        }
        self.looks_like(first.span, language);
        self.pos = self.tokens.len();
        self.is_torn = true;
        Err(Reported)
    }

    fn looks_like(&mut self, span: Span, language: &str) {
        let message = format!("this looks like {language}; wavelane reads HLSL");
        self.sink.push(Diagnostic::new(&code::SYNTAX, span, message));
    }
}
