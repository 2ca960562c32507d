//! The pages about findings: each names a command, whose output is what the gallery in `docs/sanitizer/` shows.

use crate::support;

use std::path::Path;

use wavelane::internal::Kind;
use wavelane::internal::Verdict;
use wavelane::internal::diag;

const COMMAND: &str = "`wavelane san a.hlsl ";

/// The last program before the command, and its arguments.
fn example(page: &str) -> Option<(&str, &str)> {
    let (before, rest) = page.split_once(COMMAND)?;
    let (arguments, _) = rest.split_once('`')?;
    let (program, _) = before.rsplit_once("```hlsl\n")?.1.split_once("\n```")?;
    Some((program, arguments))
}

/// The right program of a page, and the arguments with which it has no findings: those of the wrong one, unless the
/// page says others. What only the host can mend is the same program with others.
fn remedy(page: &str) -> Option<(&str, &str)> {
    let (wrong, arguments) = example(page)?;
    let (_, right) = page.split_once("\nRight")?;
    let clean = right.split_once("` finds nothing").and_then(|it| it.0.rsplit_once(COMMAND));
    let program = right.split_once("```hlsl\n").and_then(|it| it.1.split_once("\n```"));
    if program.is_none() && clean.is_none() {
        return None;
    }
    Some((program.map_or(wrong, |it| it.0), clean.map_or(arguments, |it| it.1)))
}

/// The exit status, the compiler's warnings and the findings. `name` is a folder that no other test uses at the same
/// time.
fn run(name: &str, program: &str, arguments: &str) -> (i32, String, String) {
    let folder = support::folder(&format!("gallery/{name}"), &[("a.hlsl", format!("{program}\n"))]);
    let words = [vec!["san".to_owned(), "a.hlsl".to_owned()], jobs::shell_words(arguments)];
    let ran = support::wavelane(&folder, &words.concat());
    (ran.status, ran.err, ran.out)
}

/// A page's program must bring the finding that the page is about, and no other.
#[test]
fn the_program_of_each_page_brings_its_finding() {
    for kind in Kind::ALL {
        let code = kind.code();
        let (program, arguments) =
            example(code.page()).unwrap_or_else(|| panic!("{}: no program", code.name));
        let (status, _, text) =
            run(&format!("finds/{}", code.name), program, &format!("{arguments} --format json"));
        let report: serde_json::Value = serde_json::from_str(&text).unwrap();
        let found: Vec<&str> = report["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["id"].as_str().unwrap())
            .collect();
        assert_eq!(found, [code.name], "{text}");
        let sets_status = kind.verdict() != Verdict::Portability;
        assert_eq!(status, i32::from(sets_status), "{}", code.name);
    }
}

#[test]
fn the_right_program_of_each_page_has_no_findings() {
    for kind in Kind::ALL {
        let code = kind.code();
        let (program, arguments) =
            remedy(code.page()).unwrap_or_else(|| panic!("{}: nothing is right", code.name));
        let (status, warnings, text) = run(&format!("right/{}", code.name), program, arguments);
        assert_eq!((status, warnings.as_str()), (0, ""), "{}: {text}", code.name);
        assert!(text.starts_with("no findings"), "{}: {text}", code.name);
    }
}

#[test]
fn the_gallery_shows_the_pages_and_what_the_tool_prints_now() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/sanitizer");
    for code in diag::codes().iter().filter(|it| it.in_runs) {
        let Some((program, arguments)) = example(code.page()) else { continue };
        let (_, warnings, printed) = run(&format!("shows/{}", code.name), program, arguments);
        let gap = if warnings.is_empty() { "" } else { "\n" };
        let printed = format!("{warnings}{gap}{printed}");
        let block = format!("\n\n```text\n$ wavelane san a.hlsl {arguments}\n{printed}```");
        let file = docs.join(format!("{}.md", code.name));
        let shown = std::fs::read_to_string(&file)
            .unwrap_or_else(|error| panic!("{}: {error}; `cargo xtask docs`", file.display()));
        let stale = "run `cargo xtask docs` and read what changes";
        assert!(shown.contains(&block), "{}: {stale}", file.display());
        assert_eq!(shown.replacen(&block, "", 1), code.page(), "{}: {stale}", file.display());
    }
}
