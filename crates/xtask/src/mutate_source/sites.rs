//! Mutation operators: finds the places in a source file's syntax tree where a small change gives a different program.
//!
//! What is never changed, and why:
//! - constants, statics, `const fn`, array lengths, types and generic arguments: they cannot contain a run-time switch.
//!   Tables of rows, such as the intrinsics, are such constants; the grid and the suite test each of their rows.
//! - patterns and attributes, for the same reason; guards of patterns are changed.
//! - macro arguments: their text has no syntax tree. Most are assertions and messages.
//! - tests.

use std::collections::BTreeMap;
use std::ops::Range;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Block, Expr, Lit, Pat, Stmt, UnOp};

/// The kind of a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A comparison that is off by one, or reversed.
    Comparison,
    /// `+` and `-`, `*` and `/`.
    Arithmetic,
    /// `&` and `|`, shifts, a complement.
    Bits,
    /// `&&` and `||`.
    Logic,
    /// A condition or a Boolean `match`, negated.
    Condition,
    /// A number off by one, a negated truth value.
    Constant,
    /// `min` and `max`, `any` and `all`, `is_some` and `is_none`, …
    Method,
    /// Two neighbouring arms of a `match`, swapped.
    Arms,
    /// A deleted statement.
    Statement,
    /// A deleted `if` around a `return`, `break` or `continue`.
    Exit,
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Comparison => "comparison",
            Kind::Arithmetic => "arithmetic",
            Kind::Bits => "bits",
            Kind::Logic => "logic",
            Kind::Condition => "condition",
            Kind::Constant => "constant",
            Kind::Method => "method",
            Kind::Arms => "arms",
            Kind::Statement => "statement",
            Kind::Exit => "exit",
        }
    }
}

/// A replacement of a piece of text.
#[derive(Debug, Clone)]
pub(super) struct Edit {
    pub(super) range: Range<usize>,
    pub(super) mutated: String,
    /// Whether it is a statement or the body of an arm, which must not be parenthesised.
    pub(super) bare: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Site {
    /// Identifies the mutant in every sample, as long as its text and its function's name do not change.
    pub(super) id: String,
    /// The path from the root of the repository.
    pub(super) file: String,
    pub(super) function: String,
    pub(super) line: usize,
    pub(super) kind: Kind,
    pub(super) original: String,
    pub(super) mutated: String,
    pub(super) edits: Vec<Edit>,
}

impl Site {
    /// The crate: `crates/NAME/src/…`.
    pub(super) fn krate(&self) -> &str {
        self.file.split('/').nth(1).unwrap_or_default()
    }

    /// The range from the first byte that it changes to the last.
    pub(super) fn hull(&self) -> Range<usize> {
        let start = self.edits.iter().map(|it| it.range.start).min().unwrap_or(0);
        start..self.edits.iter().map(|it| it.range.end).max().unwrap_or(0)
    }
}

/// The modules that a file declares for tests only.
pub(super) fn test_modules(text: &str) -> Result<Vec<String>, syn::Error> {
    let file = syn::parse_file(text)?;
    let modules = file.items.iter().filter_map(|item| match item {
        syn::Item::Mod(it) if it.content.is_none() && of_tests(&it.attrs) => {
            Some(it.ident.to_string())
        }
        _ => None,
    });
    Ok(modules.collect())
}

/// All sites in a file, in the order of the text.
pub(super) fn sites(file: &str, text: &str) -> Result<Vec<Site>, syn::Error> {
    let tree = syn::parse_file(text)?;
    let mut finder = Finder { file, text, functions: Vec::new(), sites: Vec::new() };
    finder.visit_file(&tree);
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for site in &mut finder.sites {
        let Site { file, function, kind, original, mutated, .. } = &*site;
        let name = [file, function, kind.name(), original, mutated].join("\0");
        let ordinal = seen.entry(name.clone()).or_default();
        site.id = format!("{:010x}", hash(&format!("{name}\0{ordinal}")) & 0xff_ffff_ffff);
        *ordinal += 1;
    }
    finder.sites.sort_by_key(|it| it.hull().start);
    Ok(finder.sites)
}

/// FNV-1a with an extra mixing step: ids and samples must not depend on the version of a library.
pub(super) fn hash(text: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    }
    hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ hash >> 29
}

fn of_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|it| match &it.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => {
            list.tokens.to_string().split(|c: char| !c.is_alphanumeric()).any(|it| it == "test")
        }
        meta => meta.path().is_ident("test"),
    })
}

struct Finder<'t> {
    file: &'t str,
    text: &'t str,
    functions: Vec<String>,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn text_of(&self, node: &impl Spanned) -> &str {
        &self.text[node.span().byte_range()]
    }

    fn found(&mut self, kind: Kind, node: &impl Spanned, mutated: String) {
        let edit = Edit { range: node.span().byte_range(), mutated, bare: false };
        self.push(kind, vec![edit]);
    }

    fn left_out(&mut self, kind: Kind, node: &impl Spanned) {
        let range = node.span().byte_range();
        self.push(kind, vec![Edit { range, mutated: String::new(), bare: true }]);
    }

    fn push(&mut self, kind: Kind, edits: Vec<Edit>) {
        // The text of a call in the middle of a method chain has line breaks and indentation, which are removed here.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let of = |edit: &Edit| words(&self.text[edit.range.clone()]);
        let original = edits.iter().map(of).collect::<Vec<_>>().join(" … ");
        let mutated = edits.iter().map(|it| words(&it.mutated)).collect::<Vec<_>>().join(" … ");
        let line = 1 + self.text[..edits[0].range.start].matches('\n').count();
        self.sites.push(Site {
            id: String::new(),
            file: self.file.to_owned(),
            function: self.functions.join("::"),
            line,
            kind,
            original,
            mutated,
            edits,
        });
    }

    fn inside(&mut self, name: String, walk: impl FnOnce(&mut Self)) {
        self.functions.push(name);
        walk(self);
        self.functions.pop();
    }

    fn binary(&mut self, it: &syn::ExprBinary) {
        use Kind::{Arithmetic, Bits, Comparison, Logic};
        let (kind, others): (Kind, &[&str]) = match it.op {
            BinOp::Lt(_) => (Comparison, &["<=", ">="]),
            BinOp::Le(_) => (Comparison, &["<", ">"]),
            BinOp::Gt(_) => (Comparison, &[">=", "<="]),
            BinOp::Ge(_) => (Comparison, &[">", "<"]),
            BinOp::Eq(_) => (Comparison, &["!="]),
            BinOp::Ne(_) => (Comparison, &["=="]),
            BinOp::Add(_) => (Arithmetic, &["-"]),
            BinOp::Sub(_) => (Arithmetic, &["+"]),
            BinOp::Mul(_) => (Arithmetic, &["/", "+"]),
            BinOp::Div(_) => (Arithmetic, &["*"]),
            BinOp::Rem(_) => (Arithmetic, &["/"]),
            BinOp::And(_) => (Logic, &["||"]),
            BinOp::Or(_) => (Logic, &["&&"]),
            BinOp::BitAnd(_) => (Bits, &["|"]),
            BinOp::BitOr(_) => (Bits, &["&"]),
            BinOp::BitXor(_) => (Bits, &["|"]),
            BinOp::Shl(_) => (Bits, &[">>"]),
            BinOp::Shr(_) => (Bits, &["<<"]),
            BinOp::AddAssign(_) => (Arithmetic, &["-="]),
            BinOp::SubAssign(_) => (Arithmetic, &["+="]),
            BinOp::BitAndAssign(_) => (Bits, &["|="]),
            BinOp::BitOrAssign(_) => (Bits, &["&="]),
            BinOp::ShlAssign(_) => (Bits, &[">>="]),
            BinOp::ShrAssign(_) => (Bits, &["<<="]),
            _ => return,
        };
        // `a && let …` cannot be parenthesised.
        if holds_let(&it.left) || holds_let(&it.right) {
            return;
        }
        let (left, right) =
            (self.text_of(&*it.left).to_owned(), self.text_of(&*it.right).to_owned());
        let assigns =
            others.iter().any(|it| it.len() > 1 && it.ends_with('=') && kind != Comparison);
        for other in others {
            let mutated = match assigns {
                true => format!("{left} {other} ({right})"),
                false => format!("({left}) {other} ({right})"),
            };
            self.found(kind, it, mutated);
        }
    }

    fn literal(&mut self, it: &syn::ExprLit) {
        match &it.lit {
            Lit::Bool(value) => self.found(Kind::Constant, it, (!value.value).to_string()),
            Lit::Int(value) => {
                let Ok(number) = value.base10_parse::<u128>() else { return };
                let suffix = value.suffix();
                if let Some(more) = number.checked_add(1) {
                    self.found(Kind::Constant, it, format!("{more}{suffix}"));
                }
                if let Some(less) = number.checked_sub(1) {
                    self.found(Kind::Constant, it, format!("{less}{suffix}"));
                }
            }
            Lit::Float(value) => self.found(Kind::Constant, it, format!("({value} + 1.0)")),
            _ => {}
        }
    }

    fn method(&mut self, it: &syn::ExprMethodCall) {
        let other = match it.method.to_string().as_str() {
            "min" => "max",
            "max" => "min",
            "any" => "all",
            "all" => "any",
            "is_some" => "is_none",
            "is_none" => "is_some",
            "is_some_and" => "is_none_or",
            "is_none_or" => "is_some_and",
            "first" => "last",
            "last" => "first",
            "saturating_sub" => "wrapping_sub",
            "saturating_add" => "wrapping_add",
            "wrapping_add" => "wrapping_sub",
            "wrapping_sub" => "wrapping_add",
            "is_empty" => {
                let mutated = format!("!({})", self.text_of(it));
                return self.found(Kind::Method, it, mutated);
            }
            _ => return,
        };
        let (whole, name) = (it.span().byte_range(), it.method.span().byte_range());
        let before = &self.text[whole.start..name.start];
        let mutated = format!("{before}{other}{}", &self.text[name.end..whole.end]);
        self.found(Kind::Method, it, mutated);
    }

    fn arms(&mut self, it: &syn::ExprMatch) {
        if let [first, ..] = &it.arms[..]
            && matches!(&first.pat, Pat::Lit(it) if matches!(it.lit, Lit::Bool(_)))
        {
            let mutated = format!("!({})", self.text_of(&*it.expr));
            return self.found(Kind::Condition, &*it.expr, mutated);
        }
        for pair in it.arms.windows(2) {
            let bodies = [&pair[0].body, &pair[1].body];
            let [one, other] = bodies.map(|it| self.text_of(&**it).to_owned());
            let plain = pair.iter().all(|it| it.attrs.is_empty() && binds_nothing(&it.pat));
            if !plain || one == other {
                continue;
            }
            let edit = |body: &Expr, mutated: String| Edit {
                range: body.span().byte_range(),
                mutated,
                bare: true,
            };
            self.push(Kind::Arms, vec![edit(bodies[0], other), edit(bodies[1], one)]);
        }
    }

    fn condition(&mut self, condition: &Expr) {
        if !holds_let(condition) {
            let mutated = format!("!({})", self.text_of(condition));
            self.found(Kind::Condition, condition, mutated);
        }
    }

    fn statement(&mut self, expression: &Expr, whole: &Stmt, ends: bool) {
        match expression {
            Expr::If(it) if it.else_branch.is_none() && leaves(&it.then_branch) => {
                self.left_out(Kind::Exit, whole);
            }
            Expr::MethodCall(_) | Expr::Call(_) | Expr::Assign(_) if ends => {
                self.left_out(Kind::Statement, whole);
            }
            Expr::Binary(it) if ends && assigns(&it.op) => self.left_out(Kind::Statement, whole),
            _ => {}
        }
    }
}

/// Whether the last statement of a block leaves it.
fn leaves(block: &Block) -> bool {
    let last = match block.stmts.last() {
        Some(Stmt::Expr(it, _)) => it,
        _ => return false,
    };
    matches!(last, Expr::Return(_) | Expr::Break(_) | Expr::Continue(_))
}

fn assigns(op: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// `if a && let Some(b) = c`: the variable must stay in scope.
fn holds_let(expression: &Expr) -> bool {
    match expression {
        Expr::Let(_) => true,
        Expr::Binary(it) => holds_let(&it.left) || holds_let(&it.right),
        _ => false,
    }
}

fn binds_nothing(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(_) | Pat::Path(_) | Pat::Rest(_) | Pat::Wild(_) | Pat::Range(_) => true,
        // A variant or a constant in scope looks like a variable, except for its first letter.
        Pat::Ident(it) => it.ident.to_string().starts_with(char::is_uppercase),
        Pat::Or(it) => it.cases.iter().all(binds_nothing),
        Pat::Paren(it) => binds_nothing(&it.pat),
        Pat::Reference(it) => binds_nothing(&it.pat),
        Pat::Tuple(it) => it.elems.iter().all(binds_nothing),
        Pat::TupleStruct(it) => it.elems.iter().all(binds_nothing),
        Pat::Struct(it) => it.fields.iter().all(|it| binds_nothing(&it.pat)),
        _ => false,
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_angle_bracketed_generic_arguments(
        &mut self,
        _: &'ast syn::AngleBracketedGenericArguments,
    ) {
    }
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}

    fn visit_expr_repeat(&mut self, it: &'ast syn::ExprRepeat) {
        self.visit_expr(&it.expr);
    }

    /// Only the guard of a pattern is an expression that is evaluated at run time.
    fn visit_pat(&mut self, pattern: &'ast Pat) {
        if let Pat::Guard(it) = pattern {
            self.condition(&it.guard);
            self.visit_expr(&it.guard);
        }
    }

    fn visit_item_mod(&mut self, it: &'ast syn::ItemMod) {
        if !of_tests(&it.attrs) {
            visit::visit_item_mod(self, it);
        }
    }

    fn visit_item_fn(&mut self, it: &'ast syn::ItemFn) {
        if !of_tests(&it.attrs) && it.sig.constness.is_none() {
            self.inside(it.sig.ident.to_string(), |finder| finder.visit_block(&it.block));
        }
    }

    fn visit_item_impl(&mut self, it: &'ast syn::ItemImpl) {
        if of_tests(&it.attrs) {
            return;
        }
        let name: String = self.text_of(&*it.self_ty).to_owned();
        let name = name.split('<').next().unwrap_or_default().to_owned();
        self.inside(name, |finder| visit::visit_item_impl(finder, it));
    }

    fn visit_impl_item_fn(&mut self, it: &'ast syn::ImplItemFn) {
        if !of_tests(&it.attrs) && it.sig.constness.is_none() {
            self.inside(it.sig.ident.to_string(), |finder| finder.visit_block(&it.block));
        }
    }

    fn visit_trait_item_fn(&mut self, it: &'ast syn::TraitItemFn) {
        if let (Some(block), None) = (&it.default, &it.sig.constness) {
            self.inside(it.sig.ident.to_string(), |finder| finder.visit_block(block));
        }
    }

    fn visit_stmt(&mut self, it: &'ast Stmt) {
        if let Stmt::Expr(expression, end) = it {
            self.statement(expression, it, end.is_some());
        }
        visit::visit_stmt(self, it);
    }

    fn visit_expr(&mut self, expression: &'ast Expr) {
        match expression {
            Expr::Binary(it) => self.binary(it),
            Expr::Lit(it) => self.literal(it),
            Expr::MethodCall(it) => self.method(it),
            Expr::Match(it) => self.arms(it),
            Expr::If(it) => self.condition(&it.cond),
            Expr::While(it) => self.condition(&it.cond),
            Expr::Unary(it) if matches!(it.op, UnOp::Not(_)) => {
                let mutated = format!("({})", self.text_of(&*it.expr));
                self.found(Kind::Bits, it, mutated);
            }
            _ => {}
        }
        visit::visit_expr(self, expression);
    }
}
