//! Matches that name several variants of an enum and have a default for the others: where a new variant silently
//! becomes one of those others.

use std::collections::BTreeSet;

use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, ExprMatch, File, ItemMod, Macro, Pat, Path, Token, UsePath, UseTree};

/// A match that names fewer is rather a question about those.
const SEVERAL: usize = 3;

/// The lines of a file's matches on an enum that name several of its variants and have a default.
pub(super) fn lines(file: &File, name: &str, variants: &BTreeSet<String>) -> Vec<usize> {
    let mut matches = Matches { name, variants, is_open: false, lines: Vec::new() };
    matches.visit_file(file);
    matches.lines
}

struct Matches<'a> {
    name: &'a str,
    variants: &'a BTreeSet<String>,
    /// Whether the file has named variants without the enum so far.
    is_open: bool,
    lines: Vec<usize>,
}

impl Matches<'_> {
    fn add(&mut self, patterns: &[&Pat], line: usize) {
        let mut named = Named { of: self, found: BTreeSet::new() };
        patterns.iter().for_each(|it| named.visit_pat(it));
        if named.found.len() >= SEVERAL {
            self.lines.push(line);
        }
    }
}

impl<'ast> Visit<'ast> for Matches<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let is_test = |it: &syn::Attribute| {
            it.path().is_ident("cfg") && it.parse_args::<Path>().is_ok_and(|it| it.is_ident("test"))
        };
        if !item.attrs.iter().any(is_test) {
            visit::visit_item_mod(self, item);
        }
    }

    /// `use Enum::*`, alone or at the end of a longer path.
    fn visit_use_path(&mut self, it: &'ast UsePath) {
        self.is_open |= it.ident == self.name && matches!(*it.tree, UseTree::Glob(_));
        visit::visit_use_path(self, it);
    }

    fn visit_expr_match(&mut self, it: &'ast ExprMatch) {
        let patterns: Vec<&Pat> = it.arms.iter().map(|it| &it.pat).collect();
        if patterns.iter().any(|it| is_default(it)) {
            self.add(&patterns, it.span().start().line);
        }
        visit::visit_expr_match(self, it);
    }

    fn visit_macro(&mut self, it: &'ast Macro) {
        if it.path.is_ident("matches")
            && let Ok(question) = it.parse_body::<Question>()
        {
            self.add(&[&question.pattern], it.span().start().line);
        }
    }
}

/// Whether a pattern takes everything.
fn is_default(pattern: &Pat) -> bool {
    match pattern {
        Pat::Wild(_) => true,
        // A constant would be written in capitals.
        Pat::Ident(it) => {
            it.subpat.is_none() && it.ident.to_string().starts_with(|c: char| c.is_lowercase())
        }
        _ => false,
    }
}

/// The pattern of `matches!`.
struct Question {
    pattern: Pat,
}

impl Parse for Question {
    fn parse(input: ParseStream<'_>) -> syn::Result<Question> {
        input.parse::<Expr>()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        // A guard, which names nothing.
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Question { pattern })
    }
}

/// The variants that patterns name.
struct Named<'a> {
    of: &'a Matches<'a>,
    found: BTreeSet<String>,
}

impl<'ast> Visit<'ast> for Named<'_> {
    fn visit_path(&mut self, path: &'ast Path) {
        let names: Vec<String> = path.segments.iter().map(|it| it.ident.to_string()).collect();
        let variant = match names.as_slice() {
            [.., owner, variant] if owner == self.of.name => variant,
            [variant] if self.of.is_open => variant,
            _ => return,
        };
        if self.of.variants.contains(variant) {
            self.found.insert(variant.clone());
        }
    }

    /// A variant without members may look like a name that a pattern binds.
    fn visit_pat_ident(&mut self, it: &'ast syn::PatIdent) {
        let name = it.ident.to_string();
        if self.of.is_open && self.of.variants.contains(&name) {
            self.found.insert(name);
        }
        visit::visit_pat_ident(self, it);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_with_a_default_count_if_they_name_several_variants() {
        let variants: BTreeSet<String> = ["A", "B", "C", "D"].map(str::to_owned).into();
        let text = "fn f() {\n\
            match op { Op::A => 1, ir::Op::B(_) | Op::C { .. } => 2, _ => 3 };\n\
            match op { Op::A => 1, Op::B(_) => 2, _ => 3 };\n\
            match op { Op::A => 1, Op::B(_) => 2, Op::C { .. } => 3, Op::D => 4 };\n\
            let is = matches!(op, Op::A | Op::B(_) | Op::C { .. } if is());\n\
            match op { Op::A => match other { rest => Op::B }, Wave::B => 1, Op::C => 2, it => 3 };\n}\n\
            #[cfg(test)]\nmod tests { fn f() { match op { Op::A | Op::B | Op::C => 1, _ => 2 } } }\n";
        let lines = |text| lines(&syn::parse_file(text).unwrap(), "Op", &variants);
        assert_eq!(lines(text), [2, 5]);
        let open = "use Op::*;\nfn f() { match op { A | D => 1, B(_) => 2, _ => 3 } }\n";
        assert_eq!(lines(open), [2]);
    }
}
