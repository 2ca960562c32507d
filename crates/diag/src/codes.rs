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

/// Who reports a code: a column of the registry.
enum Reporter {
    Compiler,
    /// Alone, or as well as the compiler.
    Sanitizer,
}

macro_rules! registry {
    ($($name:ident, $slug:literal, $level:ident, $reporter:ident, $summary:literal;)*) => {
        $(
            #[doc = $summary]
            pub static $name: Code = Code {
                name: $slug,
                level: Level::$level,
                summary: $summary,
                in_runs: matches!(Reporter::$reporter, Reporter::Sanitizer),
            };
        )*
        pub(crate) static ALL: &[&Code] = &[$(&$name),*];
        /// In the same order.
        pub(crate) static PAGES: &[&str] = &[$(page!($slug)),*];
    };
}

macro_rules! page {
    ($slug:literal) => {
        include_str!(concat!("../pages/", $slug, ".md"))
    };
}

pub(crate) mod registry {
    use super::{Code, Level, Reporter};

    registry! {
        // Reading files and preprocessing.
        FILE_NOT_FOUND, "file-not-found", Error, Compiler, "a named file cannot be read";
        BAD_DIRECTIVE, "bad-directive", Error, Compiler, "a preprocessor directive is malformed";
        BAD_CONDITION, "bad-condition", Error, Compiler, "the expression of an #if cannot be evaluated";
        UNBALANCED_CONDITION, "unbalanced-condition", Error, Compiler, "#if, #else and #endif do not match";
        BAD_MACRO, "bad-macro", Error, Compiler, "a macro is malformed or used incorrectly";
        MACRO_REDEFINED, "macro-redefined", Warning, Compiler, "a macro is redefined differently";
        ERROR_DIRECTIVE, "error-directive", Error, Compiler, "an #error in the source";
        WARNING_DIRECTIVE, "warning-directive", Warning, Compiler, "a #warning in the source";
        EXTRA_TOKENS, "extra-tokens", Warning, Compiler, "text follows a directive that is complete without it";
        UNKNOWN_PRAGMA, "unknown-pragma", Warning, Compiler, "an unknown #pragma";
        INCLUDE_CYCLE, "include-cycle", Error, Compiler, "a file includes itself endlessly";
        TOO_LARGE, "too-large", Error, Compiler, "the input grows beyond every reasonable size";
        // Parsing.
        SYNTAX, "syntax", Error, Compiler, "the text is not HLSL";
        UNCLOSED, "unclosed", Error, Compiler, "a bracket, string or comment is never closed";
        BAD_LITERAL, "bad-literal", Error, Compiler, "a number is malformed or too large";
        RESERVED_WORD, "reserved-word", Error, Compiler, "a word of the language is used as a name";
        NESTING_TOO_DEEP, "nesting-too-deep", Error, Compiler, "constructs nest too deeply";
        IMPORT_STATEMENT, "import-statement", Error, Compiler, "an @import, which the language does not have";
        // Types and names.
        UNKNOWN_NAME, "unknown-name", Error, Compiler, "a name is not declared here";
        TYPE_MISMATCH, "type-mismatch", Error, Compiler, "a value has the wrong type for its context";
        DUPLICATE_NAME, "duplicate-name", Error, Compiler, "a name is declared twice in one scope";
        NO_MATCHING_FUNCTION, "no-matching-function", Error, Compiler, "no function of that name takes these arguments";
        AMBIGUOUS_CALL, "ambiguous-call", Error, Compiler, "several overloads take the arguments equally well";
        NOT_ASSIGNABLE, "not-assignable", Error, Compiler, "a write to something that cannot be written";
        NOT_CONSTANT, "not-constant", Error, Compiler, "a value must be known at compile time but is not";
        INDEX_OUT_OF_RANGE, "index-out-of-range", Error, Compiler, "a constant index is out of range";
        BAD_INITIALIZER, "bad-initializer", Error, Compiler, "a list or constructor has the wrong number of values";
        INITIALIZER_IGNORED, "initializer-ignored", Warning, Compiler, "an initialiser that has no effect";
        IMPLICIT_TRUNCATION, "implicit-truncation", Warning, Compiler, "components are dropped without a cast";
        VECTOR_CONDITION, "vector-condition", Error, Compiler, "a condition of several bools where one is expected";
        BAD_DECLARATION, "bad-declaration", Error, Compiler, "a declaration that makes no sense";
        BAD_TEMPLATE, "bad-template", Error, Compiler, "template arguments that do not fit";
        UNDEFINED_FUNCTION, "undefined-function", Error, Compiler, "a function is called that has no body";
        RECURSION, "recursion", Error, Compiler, "a function calls itself, directly or indirectly";
        MISPLACED_STATEMENT, "misplaced-statement", Error, Compiler, "a break or continue outside of a loop";
        DUPLICATE_LABEL, "duplicate-label", Error, Compiler, "a label occurs twice in a switch";
        ENDLESS_LOOP, "endless-loop", Warning, Compiler, "a loop that no lane can leave";
        MISSING_RETURN, "missing-return", Warning, Compiler, "a function can end without returning a value";
        STATIC_ASSERT, "static-assert", Error, Compiler, "a static assertion failed";
        NO_ENTRY_POINT, "no-entry-point", Error, Compiler, "the entry point does not exist";
        BAD_ENTRY_POINT, "bad-entry-point", Error, Compiler, "the function cannot be an entry point";
        BAD_SEMANTIC, "bad-semantic", Error, Compiler, "a missing or invalid semantic";
        BAD_ATTRIBUTE, "bad-attribute", Error, Compiler, "an attribute has invalid arguments";
        UNKNOWN_ATTRIBUTE, "unknown-attribute", Warning, Compiler, "an attribute that has no effect";
        BAD_WAVE_SIZE, "bad-wave-size", Error, Compiler, "an invalid [WaveSize]";
        NEEDS_SHADER_MODEL, "needs-shader-model", Error, Compiler, "the profile's shader model lacks a function";
        WRONG_STAGE, "wrong-stage", Error, Compiler, "a function of another shader stage";
        NEEDS_16BIT_TYPES, "needs-16bit-types", Error, Compiler, "a native 16-bit type without the flag that enables it";
        NEEDS_HLSL_2021, "needs-hlsl-2021", Error, Compiler, "a feature of HLSL 2021 in an older version";
        DRAFT_NAME, "draft-name", Warning, Compiler, "a wave function under its draft name";
        SLANG_ONLY, "slang-only", Warning, Compiler, "a wave function that only Slang has";
        DXC_PORTABILITY, "dxc-portability", Warning, Compiler, "something that DXC rejects";
        BAD_FORMAT, "bad-format", Error, Compiler, "a format string that does not match its arguments";
        BAD_REGISTER, "bad-register", Error, Compiler, "a register or offset that does not fit";
        GROUPSHARED_TOO_LARGE, "groupshared-too-large", Error, Compiler, "more groupshared memory than a group has";
        // Lints: code that is legal but hardly ever intended.
        ASSIGNMENT_IN_CONDITION, "assignment-in-condition", Warning, Compiler, "a condition assigns instead of comparing";
        EMPTY_BODY, "empty-body", Warning, Compiler, "a `;` takes the place of the intended statement";
        DANGLING_ELSE, "dangling-else", Warning, Compiler, "an `else` that may be intended for another `if`";
        SELF_ASSIGNMENT, "self-assignment", Warning, Compiler, "something is assigned to itself";
        UNUSED_VALUE, "unused-value", Warning, Compiler, "a computed value is not used";
        CONSTANT_COMPARISON, "constant-comparison", Warning, Compiler, "a comparison that always has the same result";
        LOSSY_CONVERSION, "lossy-conversion", Warning, Compiler, "a constant that its destination cannot hold";
        PARTIAL_WAVE, "partial-wave", Warning, Compiler, "a [WaveSize] whose waves are never full";
        VERSION_DEPENDENT_ARM, "version-dependent-arm", Warning, Compiler, "a wave function in an arm that other versions evaluate in other lanes";
        NARROW_LANE_MASK, "narrow-lane-mask", Warning, Compiler, "32 bits for a set of up to 128 lanes";
        ASSUMED_WAVE_COUNT, "assumed-wave-count", Warning, Compiler, "an array with elements for too few waves";
        WAVE_DERIVATIVE, "wave-derivative", Warning, Compiler, "a derivative of a wave operation's result";
        LANE_COUNT_SWITCH, "lane-count-switch", Warning, Compiler, "a switch over the number of lanes that leaves widths out";
        BAD_SUPPRESSION, "bad-suppression", Error, Compiler, "an invalid comment that allows a report";
        UNUSED_SUPPRESSION, "unused-suppression", Warning, Compiler, "a comment that allows something that is not reported";
        UNINITIALIZED, "uninitialized", Warning, Compiler, "a variable is read before anything is written to it";
        // Lowering.
        PROGRAM_TOO_LARGE, "program-too-large", Error, Compiler, "a program that explodes when its calls are expanded";
        // Findings of the sanitizer; the compiler reports some of the first ones, too.
        ASSERTION_FAILED, "assertion-failed", Error, Sanitizer, "a condition that the program asserts is false";
        SHIFT_OUT_OF_RANGE, "shift-out-of-range", Warning, Sanitizer, "a shift by as many bits as the value has, or more";
        DIVISION_BY_ZERO, "division-by-zero", Warning, Sanitizer, "an integer is divided by zero";
        INACTIVE_LANE_READ, "inactive-lane-read", Error, Sanitizer, "an inactive lane is read";
        LANE_INDEX_OUT_OF_RANGE, "lane-index-out-of-range", Error, Sanitizer, "a lane beyond the width of the wave is read";
        BAD_PARTITION, "bad-partition", Error, Sanitizer, "masks that do not partition the active lanes";
        BAD_WAVE_MASK, "bad-wave-mask", Error, Sanitizer, "a wave mask that does not name the active lanes";
        INCOMPLETE_QUAD, "incomplete-quad", Error, Sanitizer, "a quad operation without the whole quad";
        UNINITIALIZED_VALUE, "uninitialized-value", Error, Sanitizer, "an uninitialised value is used";
        OUT_OF_BOUNDS, "out-of-bounds", Error, Sanitizer, "an array is accessed beyond its end";
        BUFFER_OUT_OF_BOUNDS, "buffer-out-of-bounds", Warning, Sanitizer, "a buffer is accessed beyond its end";
        CONVERSION_OUT_OF_RANGE, "conversion-out-of-range", Error, Sanitizer, "a float is converted to an integer that cannot hold it";
        DIVERGENT_BARRIER, "divergent-barrier", Error, Sanitizer, "a group barrier that not all threads reach";
        RACE, "race", Error, Sanitizer, "two unordered accesses";
        EQUAL_STORES, "equal-stores", Warning, Sanitizer, "two unordered stores of the same value";
        NOT_GLOBALLY_COHERENT, "not-globally-coherent", Error, Sanitizer, "a value passes between groups through a buffer that is not coherent";
        UNPUBLISHED_STORE, "unpublished-store", Error, Sanitizer, "a flag is raised without a memory barrier before it";
        ALIASED_BUFFERS, "aliased-buffers", Error, Sanitizer, "one buffer is accessed through two names that compilers treat as different memory";
        MISALIGNED_ADDRESS, "misaligned-address", Error, Sanitizer, "a byte address that is not a multiple of the size of its scalars";
        DESCRIPTOR_OUT_OF_RANGE, "descriptor-out-of-range", Error, Sanitizer, "an array of resources is indexed beyond its end";
        NON_UNIFORM_RESOURCE_INDEX, "non-uniform-resource-index", Error, Sanitizer, "lanes access different resources without `NonUniformResourceIndex`";
        ENDLESS_WAIT, "endless-wait", Error, Sanitizer, "lanes wait for a store that can never happen";
        TRUNCATED_MASK, "truncated-mask", Error, Sanitizer, "a set of lanes is cut to fewer bits than the wave has lanes";
        FLOAT_EQUALITY, "float-equality", Error, Sanitizer, "a comparison of floats that differs between machines";
        NON_UNIFORM_LANE_INDEX, "non-uniform-lane-index", Warning, Sanitizer, "lanes read different lanes where one lane for all is portable";
        SWITCH_CONVERGENCE, "switch-convergence", Warning, Sanitizer, "lanes of several selector values meet in one case of a switch";
        RECONVERGENCE, "reconvergence", Warning, Sanitizer, "a wave operation relies on lanes that need not have reconverged";
        WIDTH_DEPENDENT_RESULT, "width-dependent-result", Error, Sanitizer, "a result that differs from one wave width to another";
        ORDER_DEPENDENT_RESULT, "order-dependent-result", Error, Sanitizer, "a result that differs from one order to another";
        PERMUTED_RESULT, "permuted-result", Note, Sanitizer, "a result whose elements come in a different order";
        DEPENDS_ON_WAVE_COUNT, "depends-on-wave-count", Warning, Sanitizer, "a result that depends on how many waves a group has";
        HELPER_RESULT, "helper-result", Error, Sanitizer, "a result that is undefined in helper lanes is used by other lanes";
        OTHER_QUAD_READ, "other-quad-read", Error, Sanitizer, "a lane of another quad is read in a pixel shader";
        DEPENDS_ON_HELPERS, "depends-on-helpers", Error, Sanitizer, "a result that depends on what helper lanes do";
        DEPENDS_ON_PACKING, "depends-on-packing", Error, Sanitizer, "a result that depends on which pixels or vertices share a wave";
        DEPENDS_ON_QUADS, "depends-on-quads", Warning, Sanitizer, "a result that depends on which pixels form a quad";
        DEPENDS_ON_ALPHA_SAMPLES, "depends-on-alpha-samples", Warning, Sanitizer, "a result that depends on which samples an alpha leaves";
        BROKEN_DEPTH_PROMISE, "broken-depth-promise", Error, Sanitizer, "a depth beyond the bound that its semantic promises";
        RAY_QUERY_STATE, "ray-query-state", Error, Sanitizer, "a method of a ray query in a state that does not allow it";
        RAY_FLAGS, "ray-flags", Error, Sanitizer, "ray flags that exclude each other, or that mean nothing to a ray query";
        BAD_RAY, "bad-ray", Error, Sanitizer, "a ray with a NaN, an empty interval, or no direction";
        RAY_HIT_OUT_OF_RANGE, "ray-hit-out-of-range", Error, Sanitizer, "a procedural hit is committed outside the interval of its ray";
        NO_DATA_ACCESS, "no-data-access", Error, Sanitizer, "positions of triangles are read from a structure built without access to them";
        UNREAD_CANDIDATES, "unread-candidates", Warning, Sanitizer, "a ray query is abandoned with a candidate that was not judged";
        CANDIDATE_DEPENDENT_RESULT, "candidate-dependent-result", Error, Sanitizer, "a result that depends on the order or the number of candidates";
        RAY_TIE, "ray-tie", Warning, Sanitizer, "a result that depends on which of two equally near hits wins";
        BAD_INSTANCE, "bad-instance", Error, Sanitizer, "a scene with an instance whose transform or flags are not valid";
        FEEDBACK_PAIR, "feedback-pair", Error, Sanitizer, "sampler feedback of a texture other than the one that the map was made for";
        FEEDBACK_TIER, "feedback-tier", Warning, Sanitizer, "sampler feedback through an address mode that not every device can record";
        FEEDBACK_SLACK, "feedback-slack", Note, Sanitizer, "a feedback map that devices may report differently";
        // Features that this implementation lacks.
        UNSUPPORTED_FEATURE, "unsupported-feature", Unsupported, Compiler, "a feature of HLSL that is not supported yet";
    }
}
