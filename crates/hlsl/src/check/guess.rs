//! Suggestions for undeclared names: a similar name, one that is declared too late, or a name from another shading
//! language.

use diag::{Diagnostic, Span, most_similar, similarity};

use super::Checker;
use super::scope::{ScopeId, ScopeKind, Wanted};
use crate::ast::{FunctionName, Ident, Item, ItemKind};
use crate::foreign::{Hlsl, foreign};
use crate::library;
use crate::parse::{KEYWORDS, builtin_types};

impl Checker<'_> {
    /// Whether to report an undeclared name: once for each function, and once in total for a name from another
    /// language.
    pub(super) fn is_unreported(&mut self, ident: &Ident, scope: Option<ScopeId>) -> bool {
        if self.muted > 0 || scope.is_some() {
            return true;
        }
        if self.names_lost {
            return false;
        }
        let everywhere = foreign(&ident.name).is_some();
        let body = self.body.as_ref().filter(|_| !everywhere).map(|it| it.result_span.lo);
        self.unknown_names.insert((ident.name.clone(), body))
    }

    /// Whether a function can be called with as many arguments as the unknown one; `true` for other names.
    fn takes_as_many(&self, name: &str) -> bool {
        let Some(count) = self.called_with else { return true };
        let wave = ops::intrinsics::by_name(name).map(|it| it.intrinsic.params.len());
        let mut library = library::overloads(name).map(|it| it.params.len());
        wave == Some(count) || library.any(|it| it == count)
    }

    /// Adds a suggestion to a report about an unknown name.
    pub(super) fn guess(
        &self,
        report: Diagnostic,
        ident: &Ident,
        wanted: Wanted,
        scope: Option<ScopeId>,
    ) -> Diagnostic {
        let name = &ident.name;
        if scope.is_none() {
            if let Some(found) = foreign(name) {
                let help = found.help(name);
                return match found.hlsl {
                    Hlsl::Name(replacement) if self.takes_as_many(replacement) => {
                        report.fix(help, ident.span, replacement)
                    }
                    Hlsl::Name(_) | Hlsl::Text(_) => report.help(help),
                };
            }
            if let Some(span) = later(self.file_items, name, ident.span) {
                return report
                    .also(span, "declared only here")
                    .help("move it above its first use, or declare a prototype there");
            }
            if wanted == Wanted::Type && has_wrong_size(name) {
                return report.help(
                    "vectors have 1 to 4 components, and matrices 1 to 4 rows and columns: `float4x4`",
                );
            }
        }
        // Comparing a name with all others takes time, so in a very large program only the first mistakes get
        // suggestions.
        const MOST_COMPARED: usize = 1 << 18;
        let from = scope.unwrap_or(self.scopes.current());
        let compared = self.compared.get().saturating_add(self.scopes.visible(from));
        self.compared.set(compared);
        if compared > MOST_COMPARED {
            return report;
        }
        let declared = self.scopes.nearest(from, name, wanted);
        let is_local_to_scope =
            scope.is_some_and(|it| self.scopes.kind(it) != &ScopeKind::Namespace("".into()));
        let known = match wanted {
            _ if is_local_to_scope => None,
            Wanted::Type => nearest_type(name),
            // The language itself declares no variables.
            Wanted::Variable => None,
            Wanted::Function | Wanted::Value => {
                let waves = ops::intrinsics::all().map(|it| it.name);
                most_similar(name, library::names().chain(waves)).map(str::to_owned)
            }
        };
        let far = |it: &str| similarity(name, it).unwrap_or(usize::MAX);
        match (declared, known) {
            (Some((near, span)), known)
                if known.as_deref().is_none_or(|it| far(&near) <= far(it)) =>
            {
                report.also(span, "declared here").fix(
                    format!("a similar name is `{near}`"),
                    ident.span,
                    near,
                )
            }
            (_, Some(near)) => report.fix(format!("a similar name is `{near}`"), ident.span, near),
            (_, None) => report,
        }
    }
}

/// The built-in type with the most similar name: `float3` for `flaot3`.
fn nearest_type(name: &str) -> Option<String> {
    let is_size = |it: char| ('1'..='4').contains(&it) || it == 'x';
    let stem = name.trim_end_matches(is_size);
    let size = &name[stem.len()..];
    let whole = most_similar(name, builtin_types().chain(KEYWORDS));
    let by_stem = || {
        let scalars =
            builtin_types().filter(|it| it.starts_with(|it: char| it.is_ascii_lowercase()));
        Some(format!("{}{size}", most_similar(stem, scalars)?))
    };
    // Compare the stem alone: `flaot3` means `float3`, not `float`.
    let stemmed = if size.is_empty() { None } else { by_stem() };
    stemmed.or_else(|| whole.map(str::to_owned))
}

/// Whether a name is that of a vector or a matrix with a size that these do not have: `float4x5`.
fn has_wrong_size(name: &str) -> bool {
    let is_size = |it: char| it.is_ascii_digit() || it == 'x';
    let stem = name.trim_end_matches(is_size);
    let size = &name[stem.len()..];
    let (rows, columns) = size.split_once('x').unwrap_or((size, "1"));
    let is_number = |it: &str| it.parse::<u32>().is_ok();
    let is_scalar = stem.starts_with(|it: char| it.is_ascii_lowercase());
    is_scalar && is_number(rows) && is_number(columns) && builtin_types().any(|it| it == stem)
}

/// The declaration of a name at file level after its use.
fn later(items: &[Item], name: &str, used: Span) -> Option<Span> {
    let declared = items.iter().find_map(|item| match &item.kind {
        ItemKind::Function(it) => match &it.name {
            FunctionName::Plain(ident) if it.owner.is_none() => Some(ident),
            _ => None,
        }
        .filter(|it| &*it.name == name)
        .map(|it| it.span),
        ItemKind::Struct(it) => (&*it.name.name == name).then_some(it.name.span),
        ItemKind::Enum(it) => (&*it.name.name == name).then_some(it.name.span),
        ItemKind::Var(it) => {
            it.declarators.iter().find(|it| &*it.name.name == name).map(|it| it.name.span)
        }
        _ => None,
    });
    declared.filter(|it| it.lo > used.lo)
}
