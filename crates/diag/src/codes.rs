//! The registry of diagnostic codes: one row each.
//!
//! A code is a word, not a number, and never changes its meaning.
//! Each has a page in `pages/` (what, why, example, fix) and a file in the suite's `errors/`; tests demand both.
#![allow(rustdoc::broken_intra_doc_links, reason = "titles name attributes in brackets")]

use crate::Level;

/// A kind of report.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// The kebab-case word that users see and write.
    pub name: &'static str,
    /// The level unless flags change it.
    pub level: Level,
    pub summary: &'static str,
    /// Whether the sanitizer reports it, alone or as well as the compiler.
    pub in_runs: bool,
}

impl Code {
    /// The page that `wavelane explain` shows.
    ///
    /// The pages are a separate list, so that a program that does not show them can leave them out: they are 83 KB.
    pub fn page(&self) -> &'static str {
        let mut pages = registry::ALL.iter().zip(registry::PAGES);
        let page = pages.find(|(code, _)| code.name == self.name).map(|(_, page)| *page);
        page.unwrap_or_else(|| unreachable!("`{}` is a row of the registry", self.name))
    }
}

/// Finds a code by its word.
pub fn by_name(name: &str) -> Option<&'static Code> {
    codes().iter().copied().find(|code| code.name == name)
}

/// All codes, in the order of the registry.
pub fn codes() -> &'static [&'static Code] {
    registry::ALL
}

/// Only the compiler reports rows before `@in_runs` and after `@only_compiling`.
macro_rules! registry {
    (
        $($name:ident, $slug:literal, $level:ident, $summary:literal;)*
        @in_runs
        $($in_runs:ident, $in_runs_slug:literal, $in_runs_level:ident, $in_runs_summary:literal;)*
        @only_compiling
        $($last:ident, $last_slug:literal, $last_level:ident, $last_summary:literal;)*
    ) => {
        $(code!($name, $slug, $level, $summary, false);)*
        $(code!($in_runs, $in_runs_slug, $in_runs_level, $in_runs_summary, true);)*
        $(code!($last, $last_slug, $last_level, $last_summary, false);)*
        pub(crate) static ALL: &[&Code] = &[$(&$name,)* $(&$in_runs,)* $(&$last),*];
        /// In the same order.
        pub(crate) static PAGES: &[&str] =
            &[$(page!($slug),)* $(page!($in_runs_slug),)* $(page!($last_slug)),*];
    };
}

macro_rules! code {
    ($name:ident, $slug:literal, $level:ident, $summary:literal, $in_runs:literal) => {
        #[doc = $summary]
        pub static $name: Code =
            Code { name: $slug, level: Level::$level, summary: $summary, in_runs: $in_runs };
    };
}

macro_rules! page {
    ($slug:literal) => {
        include_str!(concat!("../pages/", $slug, ".md"))
    };
}

pub(crate) mod registry {
    use super::{Code, Level};

    registry! {
        // Reading files and preprocessing.
        FILE_NOT_FOUND, "file-not-found", Error, "a named file cannot be read";
        BAD_DIRECTIVE, "bad-directive", Error, "a preprocessor directive is malformed";
        BAD_CONDITION, "bad-condition", Error, "the expression of an #if cannot be evaluated";
        UNBALANCED_CONDITION, "unbalanced-condition", Error, "#if, #else and #endif do not match";
        BAD_MACRO, "bad-macro", Error, "a macro is malformed or used incorrectly";
        MACRO_REDEFINED, "macro-redefined", Warning, "a macro is redefined differently";
        ERROR_DIRECTIVE, "error-directive", Error, "an #error in the source";
        WARNING_DIRECTIVE, "warning-directive", Warning, "a #warning in the source";
        EXTRA_TOKENS, "extra-tokens", Warning, "text follows a directive that is complete without it";
        UNKNOWN_PRAGMA, "unknown-pragma", Warning, "an unknown #pragma";
        INCLUDE_CYCLE, "include-cycle", Error, "a file includes itself endlessly";
        TOO_LARGE, "too-large", Error, "the input grows beyond every reasonable size";
        // Parsing.
        SYNTAX, "syntax", Error, "the text is not HLSL";
        UNCLOSED, "unclosed", Error, "a bracket, string or comment is never closed";
        BAD_LITERAL, "bad-literal", Error, "a number is malformed or too large";
        RESERVED_WORD, "reserved-word", Error, "a word of the language is used as a name";
        NESTING_TOO_DEEP, "nesting-too-deep", Error, "constructs nest too deeply";
        IMPORT_STATEMENT, "import-statement", Error, "an @import, which the language does not have";
        // Types and names.
        UNKNOWN_NAME, "unknown-name", Error, "a name is not declared here";
        TYPE_MISMATCH, "type-mismatch", Error, "a value has the wrong type for its context";
        DUPLICATE_NAME, "duplicate-name", Error, "a name is declared twice in one scope";
        NO_MATCHING_FUNCTION, "no-matching-function", Error, "no function of that name takes these arguments";
        AMBIGUOUS_CALL, "ambiguous-call", Error, "several overloads take the arguments equally well";
        NOT_ASSIGNABLE, "not-assignable", Error, "a write to something that cannot be written";
        NOT_CONSTANT, "not-constant", Error, "a value must be known at compile time but is not";
        INDEX_OUT_OF_RANGE, "index-out-of-range", Error, "a constant index is out of range";
        BAD_INITIALIZER, "bad-initializer", Error, "a list or constructor has the wrong number of values";
        INITIALIZER_IGNORED, "initializer-ignored", Warning, "an initialiser that has no effect";
        IMPLICIT_TRUNCATION, "implicit-truncation", Warning, "components are dropped without a cast";
        VECTOR_CONDITION, "vector-condition", Error, "a condition of several bools where one is expected";
        BAD_DECLARATION, "bad-declaration", Error, "a declaration that makes no sense";
        BAD_TEMPLATE, "bad-template", Error, "template arguments that do not fit";
        UNDEFINED_FUNCTION, "undefined-function", Error, "a function is called that has no body";
        RECURSION, "recursion", Error, "a function calls itself, directly or indirectly";
        MISPLACED_STATEMENT, "misplaced-statement", Error, "a break or continue outside of a loop";
        DUPLICATE_LABEL, "duplicate-label", Error, "a label occurs twice in a switch";
        ENDLESS_LOOP, "endless-loop", Warning, "a loop that no lane can leave";
        MISSING_RETURN, "missing-return", Warning, "a function can end without returning a value";
        STATIC_ASSERT, "static-assert", Error, "a static assertion failed";
        NO_ENTRY_POINT, "no-entry-point", Error, "the entry point does not exist";
        BAD_ENTRY_POINT, "bad-entry-point", Error, "the function cannot be an entry point";
        BAD_SEMANTIC, "bad-semantic", Error, "a missing or invalid semantic";
        BAD_ATTRIBUTE, "bad-attribute", Error, "an attribute has invalid arguments";
        UNKNOWN_ATTRIBUTE, "unknown-attribute", Warning, "an attribute that has no effect";
        BAD_WAVE_SIZE, "bad-wave-size", Error, "an invalid [WaveSize]";
        NEEDS_SHADER_MODEL, "needs-shader-model", Error, "the profile's shader model lacks a function";
        WRONG_STAGE, "wrong-stage", Error, "a function of another shader stage";
        NEEDS_16BIT_TYPES, "needs-16bit-types", Error, "a native 16-bit type without the flag that enables it";
        NEEDS_HLSL_2021, "needs-hlsl-2021", Error, "a feature of HLSL 2021 in an older version";
        DRAFT_NAME, "draft-name", Warning, "a wave function under its draft name";
        SLANG_ONLY, "slang-only", Warning, "a wave function that only Slang has";
        DXC_PORTABILITY, "dxc-portability", Warning, "something that DXC rejects";
        BAD_FORMAT, "bad-format", Error, "a format string that does not match its arguments";
        BAD_REGISTER, "bad-register", Error, "a register or offset that does not fit";
        GROUPSHARED_TOO_LARGE, "groupshared-too-large", Error, "more groupshared memory than a group has";
        // Lints: code that is legal but hardly ever intended.
        ASSIGNMENT_IN_CONDITION, "assignment-in-condition", Warning, "a condition assigns instead of comparing";
        EMPTY_BODY, "empty-body", Warning, "a `;` takes the place of the intended statement";
        DANGLING_ELSE, "dangling-else", Warning, "an `else` that may be intended for another `if`";
        SELF_ASSIGNMENT, "self-assignment", Warning, "something is assigned to itself";
        UNUSED_VALUE, "unused-value", Warning, "a computed value is not used";
        CONSTANT_COMPARISON, "constant-comparison", Warning, "a comparison that always has the same result";
        LOSSY_CONVERSION, "lossy-conversion", Warning, "a constant that its destination cannot hold";
        PARTIAL_WAVE, "partial-wave", Warning, "a [WaveSize] whose waves are never full";
        VERSION_DEPENDENT_ARM, "version-dependent-arm", Warning, "a wave function in an arm that other versions evaluate in other lanes";
        NARROW_LANE_MASK, "narrow-lane-mask", Warning, "32 bits for a set of up to 128 lanes";
        ASSUMED_WAVE_COUNT, "assumed-wave-count", Warning, "an array with elements for too few waves";
        WAVE_DERIVATIVE, "wave-derivative", Warning, "a derivative of a wave operation's result";
        LANE_COUNT_SWITCH, "lane-count-switch", Warning, "a switch over the number of lanes that leaves widths out";
        BAD_SUPPRESSION, "bad-suppression", Error, "an invalid comment that allows a report";
        UNUSED_SUPPRESSION, "unused-suppression", Warning, "a comment that allows something that is not reported";
        UNINITIALIZED, "uninitialized", Warning, "a variable is read before anything is written to it";
        // Lowering.
        PROGRAM_TOO_LARGE, "program-too-large", Error, "a program that explodes when its calls are expanded";
        // Findings of the sanitizer; the compiler reports some of the first ones, too.
        @in_runs
        ASSERTION_FAILED, "assertion-failed", Error, "a condition that the program asserts is false";
        SHIFT_OUT_OF_RANGE, "shift-out-of-range", Warning, "a shift by as many bits as the value has, or more";
        DIVISION_BY_ZERO, "division-by-zero", Warning, "an integer is divided by zero";
        INACTIVE_LANE_READ, "inactive-lane-read", Error, "an inactive lane is read";
        LANE_INDEX_OUT_OF_RANGE, "lane-index-out-of-range", Error, "a lane beyond the width of the wave is read";
        BAD_PARTITION, "bad-partition", Error, "masks that do not partition the active lanes";
        BAD_WAVE_MASK, "bad-wave-mask", Error, "a wave mask that does not name the active lanes";
        INCOMPLETE_QUAD, "incomplete-quad", Error, "a quad operation without the whole quad";
        UNINITIALIZED_VALUE, "uninitialized-value", Error, "an uninitialised value is used";
        OUT_OF_BOUNDS, "out-of-bounds", Error, "an array is accessed beyond its end";
        BUFFER_OUT_OF_BOUNDS, "buffer-out-of-bounds", Warning, "a buffer is accessed beyond its end";
        CONVERSION_OUT_OF_RANGE, "conversion-out-of-range", Error, "a float is converted to an integer that cannot hold it";
        DIVERGENT_BARRIER, "divergent-barrier", Error, "a group barrier that not all threads reach";
        RACE, "race", Error, "two unordered accesses";
        EQUAL_STORES, "equal-stores", Warning, "two unordered stores of the same value";
        NOT_GLOBALLY_COHERENT, "not-globally-coherent", Error, "a value passes between groups through a buffer that is not coherent";
        UNPUBLISHED_STORE, "unpublished-store", Error, "a flag is raised without a memory barrier before it";
        ALIASED_BUFFERS, "aliased-buffers", Error, "one buffer is accessed through two names that compilers treat as different memory";
        MISALIGNED_ADDRESS, "misaligned-address", Error, "a byte address that is not a multiple of the size of its scalars";
        DESCRIPTOR_OUT_OF_RANGE, "descriptor-out-of-range", Error, "an array of resources is indexed beyond its end";
        NON_UNIFORM_RESOURCE_INDEX, "non-uniform-resource-index", Error, "lanes access different resources without `NonUniformResourceIndex`";
        ENDLESS_WAIT, "endless-wait", Error, "lanes wait for a store that can never happen";
        TRUNCATED_MASK, "truncated-mask", Error, "a set of lanes is cut to fewer bits than the wave has lanes";
        FLOAT_EQUALITY, "float-equality", Error, "a comparison of floats that differs between machines";
        NON_UNIFORM_LANE_INDEX, "non-uniform-lane-index", Warning, "lanes read different lanes where one lane for all is portable";
        SWITCH_CONVERGENCE, "switch-convergence", Warning, "lanes of several selector values meet in one case of a switch";
        RECONVERGENCE, "reconvergence", Warning, "a wave operation relies on lanes that need not have reconverged";
        WIDTH_DEPENDENT_RESULT, "width-dependent-result", Error, "a result that differs from one wave width to another";
        ORDER_DEPENDENT_RESULT, "order-dependent-result", Error, "a result that differs from one order to another";
        PERMUTED_RESULT, "permuted-result", Note, "a result whose elements come in a different order";
        DEPENDS_ON_WAVE_COUNT, "depends-on-wave-count", Warning, "a result that depends on how many waves a group has";
        HELPER_RESULT, "helper-result", Error, "a result that is undefined in helper lanes is used by other lanes";
        OTHER_QUAD_READ, "other-quad-read", Error, "a lane of another quad is read in a pixel shader";
        DEPENDS_ON_HELPERS, "depends-on-helpers", Error, "a result that depends on what helper lanes do";
        DEPENDS_ON_PACKING, "depends-on-packing", Error, "a result that depends on which pixels or vertices share a wave";
        DEPENDS_ON_QUADS, "depends-on-quads", Warning, "a result that depends on which pixels form a quad";
        DEPENDS_ON_ALPHA_SAMPLES, "depends-on-alpha-samples", Warning, "a result that depends on which samples an alpha leaves";
        BROKEN_DEPTH_PROMISE, "broken-depth-promise", Error, "a depth beyond the bound that its semantic promises";
        RAY_QUERY_STATE, "ray-query-state", Error, "a method of a ray query in a state that does not allow it";
        RAY_FLAGS, "ray-flags", Error, "ray flags that exclude each other, or that mean nothing to a ray query";
        BAD_RAY, "bad-ray", Error, "a ray with a NaN, an empty interval, or no direction";
        RAY_HIT_OUT_OF_RANGE, "ray-hit-out-of-range", Error, "a procedural hit is committed outside the interval of its ray";
        NO_DATA_ACCESS, "no-data-access", Error, "positions of triangles are read from a structure built without access to them";
        UNREAD_CANDIDATES, "unread-candidates", Warning, "a ray query is abandoned with a candidate that was not judged";
        CANDIDATE_DEPENDENT_RESULT, "candidate-dependent-result", Error, "a result that depends on the order or the number of candidates";
        RAY_TIE, "ray-tie", Warning, "a result that depends on which of two equally near hits wins";
        BAD_INSTANCE, "bad-instance", Error, "a scene with an instance whose transform or flags are not valid";
        FEEDBACK_PAIR, "feedback-pair", Error, "sampler feedback of a texture other than the one that the map was made for";
        FEEDBACK_TIER, "feedback-tier", Warning, "sampler feedback through an address mode that not every device can record";
        FEEDBACK_SLACK, "feedback-slack", Note, "a feedback map that devices may report differently";
        // Features that this implementation lacks.
        @only_compiling
        UNSUPPORTED_FEATURE, "unsupported-feature", Unsupported, "a feature of HLSL that is not supported yet";
    }
}
