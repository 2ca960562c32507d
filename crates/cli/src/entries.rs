//! Finds the entry points of files, and those that a command line selects.

use wavelane::internal::{self, Declared};
use wavelane::{Includer, Stage};

use crate::asked::Compiling;
use crate::files::{Folders, read_source};
use crate::problem::Problem;

/// What is known of the entry points of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Entries {
    /// These, with the stages that their attributes give.
    Some(Vec<(String, Option<Stage>)>),
    /// No recognisable one: a file for others to include, or shaders that need no attribute.
    None,
    /// The text cannot be parsed, and compiling it says why.
    Unknown,
}

/// The entry points that a file declares.
pub(crate) fn of_file(file: &str, args: &Compiling) -> Result<Entries, Problem> {
    let (name, text) = read_source(file)?;
    if is_plain(&text) {
        return Ok(Entries::Some(vec![("main".to_owned(), Some(Stage::Compute))]));
    }
    let mut folders = Folders {
        folders: args.includes.clone(),
        roots: args.include_roots.clone(),
        ignore_case: args.ignore_case_includes,
    };
    let includer: &mut dyn Includer = &mut folders;
    let found = internal::declared(&name, &text, &args.options, includer)
        .map_err(|bug| Problem::bug(&bug.message))?;
    let Some(found) = found else { return Ok(Entries::Unknown) };
    let all: Vec<_> = found.into_iter().map(|Declared { name, stage, .. }| (name, stage)).collect();
    Ok(if all.is_empty() { Entries::None } else { Entries::Some(all) })
}

// PERF: nearly every shader by hand has one entry point called `main`, and reading it twice would take half as long
// again as reading it once.
/// Whether the text has the one entry point `main` and no other, as far as a quick look shows.
fn is_plain(text: &str) -> bool {
    let has_one = |word: &str| text.matches(word).count() == 1;
    let others = ["#include", "#define", "hader(", "omain(", "axvertexcount", "arlydepthstencil"];
    has_one("numthreads")
        && text.contains("void main(")
        && !others.iter().any(|it| text.contains(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quick_look_accepts_only_certain_cases() {
        assert!(is_plain("[numthreads(4,1,1)] void main() {}"));
        for text in [
            "[numthreads(4,1,1)] void CS() {}",
            "[numthreads(4,1,1)] void main() {} [numthreads(4,1,1)] void b() {}",
            "#include \"a.hlsli\"\n[numthreads(4,1,1)] void main() {}",
            "[numthreads(4,1,1)] void main() {} [shader(\"pixel\")] void b() {}",
        ] {
            assert!(!is_plain(text), "{text}");
        }
    }
}
