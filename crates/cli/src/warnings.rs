//! The flags about warnings: which are shown, which are errors, and what other compilers call them.
//!
//! A warning's group is its code. Flags are read from left to right, and the last one that concerns a code wins, as in
//! clang and dxc. Deliberately absent: any way to silence an error of the compiler.

use std::collections::BTreeMap;

use wavelane::internal::diag;
use wavelane::{Diagnostic, Level};

/// The flags about warnings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings {
    /// `-w`: none is shown, regardless of other flags.
    pub(crate) none: bool,
    /// `-WX`
    pub(crate) are_errors: bool,
    /// The flags about single codes.
    said: BTreeMap<&'static str, Said>,
}

/// The flags about a code.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    hidden: bool,
    /// `-Werror=…` or `-Wno-error=…`.
    is_error: Option<bool>,
}

impl Warnings {
    /// Reads what follows `-W`. An unknown name is a remark, never an error: scripts pass flags of other compilers too.
    pub(crate) fn read(&mut self, text: &str) -> Option<String> {
        let (no, rest) = match text.strip_prefix("no-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        match rest {
            "error" => self.are_errors = !no,
            "fatal-errors" => {}
            // In dxc and clang these enable more warnings; here all are enabled.
            "all" | "extra" | "everything" | "pedantic" | "default" | "most" => {
                if no {
                    self.none = true;
                } else {
                    self.none = false;
                    self.said.values_mut().for_each(|it| it.hidden = false);
                }
            }
            _ => {
                let (of_error, group) = match rest.strip_prefix("error=") {
                    Some(group) => (true, group),
                    None => (false, rest),
                };
                let Some(codes) = codes_of(group) else { return Some(unknown(text, group)) };
                for code in codes {
                    let said = self.said.entry(code).or_default();
                    match (of_error, no) {
                        (true, no) => said.is_error = Some(!no),
                        (false, no) => said.hidden = no,
                    }
                    // A warning that is an error must be shown.
                    said.hidden &= !of_error || no;
                }
            }
        }
        None
    }

    /// The diagnostics that are to be shown, at the requested level.
    pub(crate) fn weigh(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.into_iter().filter_map(|it| self.weigh_one(it)).collect()
    }

    /// A finding of the sanitizer at the requested level. Its errors can be hidden too: a finding in a run is
    /// not a reason to refuse a program.
    pub(crate) fn weigh_finding(&self, mut it: Diagnostic) -> Option<Diagnostic> {
        let said = self.said.get(it.code.name).copied().unwrap_or_default();
        if said.hidden {
            return None;
        }
        if it.level < Level::Error {
            // A remark becomes an error only if a flag names it.
            let asked = said.is_error.unwrap_or(self.are_errors && it.level == Level::Warning);
            if !asked {
                return (!self.none).then_some(it);
            }
            it.level = Level::Error;
            let flag = if said.is_error.is_some() { it.code.name } else { "" };
            let flag = format!("-Werror={flag}");
            it.notes.push(format!("made an error by `{}`", flag.trim_end_matches('=')));
        } else if said.is_error == Some(false) {
            it.level = Level::Warning;
            it.notes.push(format!("made a warning by `-Wno-error={}`", it.code.name));
        }
        Some(it)
    }

    fn weigh_one(&self, mut it: Diagnostic) -> Option<Diagnostic> {
        if it.level > Level::Warning {
            return Some(it);
        }
        let said = self.said.get(it.code.name).copied().unwrap_or_default();
        if self.none || said.hidden || it.level == Level::Allow {
            return None;
        }
        if it.level == Level::Warning && said.is_error.unwrap_or(self.are_errors) {
            it.level = Level::Error;
            let flag = match said.is_error {
                Some(_) => format!("-Werror={}", it.code.name),
                None => "-WX".to_owned(),
            };
            it.notes.push(format!("a warning, which `{flag}` makes an error"));
        }
        Some(it)
    }
}

/// The codes of a group: ours by its own name, the equivalents of a name of clang and dxc, and none for a warning that
/// only they have. `None` if the name is unknown.
fn codes_of(group: &str) -> Option<Vec<&'static str>> {
    if let Some(code) = diag::by_name(group) {
        return Some(vec![code.name]);
    }
    let (_, codes) = ALIASES.iter().find(|(name, _)| *name == group)?;
    Some(codes.split_whitespace().collect())
}

fn unknown(flag: &str, group: &str) -> String {
    let ours = diag::codes().iter().filter(|it| it.level == Level::Warning || it.in_runs);
    let ours = ours.map(|it| it.name);
    let known = ours.chain(ALIASES.iter().map(|(name, _)| *name));
    let near = diag::most_similar(group, known);
    let near = near.map(|it| format!("; did you mean `{it}`?")).unwrap_or_default();
    format!("`-W{flag}`: there is no warning `{group}`{near}")
}

/// Names of clang and dxc, and the equivalent codes.
const ALIASES: &[(&str, &str)] = &[
    ("#pragma-messages", ""),
    ("#warnings", "warning-directive"),
    ("ambig-lit-shift", ""),
    ("attribute-type", ""),
    ("attributes", "unknown-attribute"),
    ("auto-var-init", ""),
    ("bool-conversion", ""),
    ("c++11-extensions", ""),
    ("c++14-extensions", ""),
    ("c++17-extensions", ""),
    ("comment", ""),
    ("conditional-uninitialized", "uninitialized"),
    ("constant-conversion", "lossy-conversion"),
    ("conversion", "implicit-truncation lossy-conversion"),
    ("cpp", "warning-directive"),
    ("deprecated", "draft-name"),
    ("deprecated-declarations", "draft-name"),
    ("div-by-zero", "division-by-zero"),
    ("double-promotion", ""),
    ("effects-syntax", ""),
    ("float-conversion", "lossy-conversion"),
    ("float-equal", ""),
    ("for-redefinition", ""),
    ("gnu-zero-variadic-macro-arguments", ""),
    ("hlsl-2021", ""),
    ("hlsl-202x", ""),
    ("hlsl-attribute-type-mismatch", ""),
    ("hlsl-availability", ""),
    ("hlsl-barrier", ""),
    ("hlsl-extension", ""),
    ("hlsl-payload-access-qualifer", ""),
    ("ignored-attributes", "unknown-attribute"),
    ("ignored-pragmas", "unknown-pragma"),
    ("ignored-qualifiers", ""),
    ("implicit-float-conversion", "lossy-conversion"),
    ("implicit-int-conversion", "lossy-conversion"),
    ("implicitly-unsigned-literal", "lossy-conversion"),
    ("infinite-recursion", ""),
    ("initializer-overrides", ""),
    ("int-conversion", ""),
    ("integer-overflow", ""),
    ("language-extension-token", ""),
    ("legacy-constant-register-binding", ""),
    ("literal-conversion", "lossy-conversion"),
    ("literal-range", "lossy-conversion"),
    ("logical-op-parentheses", ""),
    ("minimum-precision", ""),
    ("misplaced-attributes", "unknown-attribute"),
    ("missing-braces", ""),
    ("missing-declarations", ""),
    ("missing-prototypes", ""),
    ("narrowing", ""),
    ("newline-eof", ""),
    ("parentheses", "assignment-in-condition dangling-else"),
    ("parentheses-equality", ""),
    ("payload-access-perf", ""),
    ("payload-access-shader", ""),
    ("pragmas", "unknown-pragma"),
    ("return-type", "missing-return"),
    ("self-assign", "self-assignment"),
    ("self-assign-field", "self-assignment"),
    ("shadow", ""),
    ("shift-count-negative", "shift-out-of-range"),
    ("shift-count-overflow", "shift-out-of-range"),
    ("shift-op-parentheses", ""),
    ("shorten-64-to-32", ""),
    ("sign-compare", ""),
    ("sign-conversion", ""),
    ("sometimes-uninitialized", "uninitialized"),
    ("switch", ""),
    ("switch-default", ""),
    ("tautological-compare", "constant-comparison"),
    ("tautological-constant-compare", "constant-comparison"),
    ("tautological-constant-out-of-range-compare", "constant-comparison"),
    ("tautological-unsigned-zero-compare", "constant-comparison"),
    ("type-limits", "constant-comparison"),
    ("undef", ""),
    ("undefined-internal", ""),
    ("unknown-attributes", "unknown-attribute"),
    ("unknown-pragmas", "unknown-pragma"),
    ("unknown-warning-option", ""),
    ("unneeded-internal-declaration", ""),
    ("unreachable-code", ""),
    ("unused", "unused-value"),
    ("unused-but-set-variable", ""),
    ("unused-comparison", "unused-value"),
    ("unused-const-variable", ""),
    ("unused-function", ""),
    ("unused-label", ""),
    ("unused-macros", ""),
    ("unused-parameter", ""),
    ("unused-result", "unused-value"),
    ("unused-variable", ""),
    ("vector-conversion", "implicit-truncation"),
    ("zero-as-null-pointer-constant", ""),
];

#[cfg(test)]
mod tests {
    use super::*;
    use wavelane::Span;
    use wavelane::internal::diag::code;

    fn levels(flags: &str) -> String {
        let mut warnings = Warnings::default();
        for flag in flags.split_whitespace() {
            assert_eq!(warnings.read(flag), None, "{flag}");
        }
        let codes = [&code::EXTRA_TOKENS, &code::UNUSED_VALUE, &code::SYNTAX];
        let all = codes.map(|code| Diagnostic::new(code, Span::NONE, "m")).to_vec();
        let shown = warnings.weigh(all);
        let words = shown.iter().map(|it| format!("{}:{}", it.code.name, it.level.word()));
        words.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_last_flag_that_concerns_a_code_wins_and_errors_stay() {
        for (flags, shown) in [
            ("", "extra-tokens:warning unused-value:warning syntax:error"),
            ("no-extra-tokens", "unused-value:warning syntax:error"),
            ("no-unused-comparison", "extra-tokens:warning syntax:error"),
            ("no-syntax", "extra-tokens:warning unused-value:warning syntax:error"),
            (
                "no-extra-tokens extra-tokens",
                "extra-tokens:warning unused-value:warning syntax:error",
            ),
            ("error", "extra-tokens:error unused-value:error syntax:error"),
            ("error no-error", "extra-tokens:warning unused-value:warning syntax:error"),
            ("error=extra-tokens", "extra-tokens:error unused-value:warning syntax:error"),
            ("error no-error=extra-tokens", "extra-tokens:warning unused-value:error syntax:error"),
            ("no-error=extra-tokens error", "extra-tokens:warning unused-value:error syntax:error"),
            ("no-unused error=unused", "extra-tokens:warning unused-value:error syntax:error"),
            ("no-everything", "syntax:error"),
            ("no-everything all", "extra-tokens:warning unused-value:warning syntax:error"),
            (
                "no-sign-compare no-unused-variable",
                "extra-tokens:warning unused-value:warning syntax:error",
            ),
        ] {
            assert_eq!(levels(flags), shown, "{flags}");
        }
    }

    #[test]
    fn unknown_names_are_a_remark_with_the_name_that_is_meant() {
        let mut warnings = Warnings::default();
        let remark = warnings.read("no-unused-vlaue").unwrap();
        assert!(remark.contains("did you mean `unused-value`?"), "{remark}");
        let remark = warnings.read("error=conversoin").unwrap();
        assert!(remark.contains("`conversion`"), "{remark}");
        assert!(!warnings.read("nonsense-from-nowhere").unwrap().contains("mean"));
    }

    #[test]
    fn aliases_are_sorted_and_lead_to_warnings() {
        assert!(ALIASES.windows(2).all(|it| it[0].0 < it[1].0));
        for (name, codes) in ALIASES {
            assert!(diag::by_name(name).is_none(), "{name} is a code of its own");
            for code in codes.split_whitespace() {
                assert_eq!(diag::by_name(code).map(|it| it.level), Some(Level::Warning), "{name}");
            }
        }
    }
}
