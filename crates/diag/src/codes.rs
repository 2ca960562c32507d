//! The registry of diagnostic codes: one row each.
//!
//! A code is a word, not a number, and never changes its meaning.
//! Each has a page in `pages/` (what, why, example, how to mend) and a file in the suite's `errors/`; tests demand both.

use crate::Level;

/// A kind of report.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The kebab-case word that users see and write.
    pub name: &'static str,
    /// The level unless flags change it.
    pub level: Level,
    pub summary: &'static str,
    /// The page that `wavelane explain` shows.
    pub page: &'static str,
}

/// Finds a code by its word.
pub fn by_name(name: &str) -> Option<&'static Code> {
    codes().iter().copied().find(|code| code.name == name)
}

/// All codes, in the order of the registry.
pub fn codes() -> &'static [&'static Code] {
    registry::ALL
}

macro_rules! registry {
    ($($name:ident, $slug:literal, $level:ident, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub static $name: Code = Code {
                name: $slug,
                level: Level::$level,
                summary: $summary,
                page: include_str!(concat!("../pages/", $slug, ".md")),
            };
        )*
        pub(crate) static ALL: &[&Code] = &[$(&$name),*];
    };
}

pub(crate) mod registry {
    use super::{Code, Level};

    registry! {
        // Reading files and preprocessing.
        FILE_NOT_FOUND, "file-not-found", Error, "a file that was named cannot be read";
        BAD_DIRECTIVE, "bad-directive", Error, "a preprocessor directive is malformed";
        BAD_CONDITION, "bad-condition", Error, "the expression of an #if cannot be evaluated";
        UNBALANCED_CONDITION, "unbalanced-condition", Error, "#if, #else and #endif do not match";
        BAD_MACRO, "bad-macro", Error, "a macro is defined or used in a way that cannot work";
        MACRO_REDEFINED, "macro-redefined", Warning, "a macro is defined twice, differently";
        ERROR_DIRECTIVE, "error-directive", Error, "the source says #error";
        WARNING_DIRECTIVE, "warning-directive", Warning, "the source says #warning";
        EXTRA_TOKENS, "extra-tokens", Warning, "text follows a directive that is complete without it";
        UNKNOWN_PRAGMA, "unknown-pragma", Warning, "a #pragma that has no meaning here";
        INCLUDE_CYCLE, "include-cycle", Error, "a file includes itself without end";
        TOO_LARGE, "too-large", Error, "the input grows beyond every reasonable size";
        // Parsing.
        SYNTAX, "syntax", Error, "the text is not HLSL";
        UNCLOSED, "unclosed", Error, "a bracket, string or comment is never closed";
        BAD_LITERAL, "bad-literal", Error, "a number is malformed or too large";
        RESERVED_WORD, "reserved-word", Error, "a word of the language is used as a name";
        NESTING_TOO_DEEP, "nesting-too-deep", Error, "constructs stand inside each other too many levels deep";
        IMPORT_STATEMENT, "import-statement", Error, "an @import that the language never had";
        // Types and names.
        UNKNOWN_NAME, "unknown-name", Error, "a name is not declared here";
        TYPE_MISMATCH, "type-mismatch", Error, "a value has another type than its place requires";
        // What this implementation does not have.
        UNSUPPORTED_FEATURE, "unsupported-feature", Unsupported, "a feature of HLSL that is not built yet";
    }
}
