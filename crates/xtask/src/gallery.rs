//! The gallery of findings: `docs/sanitizer/`, a page for each with what the tool prints about its program.
//!
//! A page has the text that `wavelane explain` shows and the output of the command that it names. A test of the command
//! line tool (`gallery.rs`) checks that both are up to date.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use diag::Code;
use sanitizer::Kind;

/// The beginning of the command that a page names, up to its arguments.
const COMMAND: &str = "`wavelane san a.hlsl ";

/// The pages, by their paths below the root; `compiler` is the command line tool.
pub(crate) fn pages(compiler: &Path) -> Result<Vec<(String, String)>, String> {
    let folder = PathBuf::from("target/gallery");
    let folder = crate::root().join(folder);
    std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut pages = Vec::new();
    for code in diag::codes().iter().filter(|it| it.in_runs) {
        let Some(shown) = example(code) else { continue };
        let file = folder.join("a.hlsl");
        std::fs::write(&file, format!("{}\n", shown.program))
            .map_err(|error| format!("{}: {error}", file.display()))?;
        let output = Command::new(compiler)
            .current_dir(&folder)
            .args(["san", "a.hlsl"])
            .args(jobs::shell_words(shown.arguments))
            .output()
            .map_err(|error| format!("{}: {error}", compiler.display()))?;
        // The compiler's warnings come first, as on a terminal.
        let warnings = String::from_utf8_lossy(&output.stderr);
        let gap = if warnings.is_empty() { "" } else { "\n" };
        let printed = format!("{warnings}{gap}{}", String::from_utf8_lossy(&output.stdout));
        let block = format!("\n\n```text\n$ wavelane san a.hlsl {}\n{printed}```", shown.arguments);
        let (before, after) = code.page().split_at(shown.end);
        pages.push((format!("docs/sanitizer/{}.md", code.name), format!("{before}{block}{after}")));
    }
    Ok(pages)
}

/// The page that lists the others.
pub(crate) fn index() -> String {
    let mut text = String::from(
        "# What the sanitizer finds\n\n\
         Generated from the pages in `crates/diag/pages/`, which `wavelane explain` shows; do not edit.\n\
         Each page has the smallest program that is wrong, what `wavelane san` prints about it, why, and how to fix it.\n\
         `docs/sanitizer.md` says how to use the tool.\n\n\
         | finding | verdict | |\n|---|---|---|\n",
    );
    for kind in Kind::ALL {
        let code = kind.code();
        let name = match example(code) {
            Some(_) => format!("[{0}]({0}.md)", code.name),
            None => code.name.to_owned(),
        };
        let _ = writeln!(text, "| {name} | {} | {} |", kind.verdict().word(), code.summary);
    }
    text
}

/// The program that a page demonstrates the finding with.
struct Example<'a> {
    program: &'a str,
    arguments: &'a str,
    /// Where the paragraph with the command ends.
    end: usize,
}

/// The program of a page, and the flags of its command.
pub(crate) fn program(code: &Code) -> Option<(&str, &str)> {
    example(code).map(|it| (it.program, it.arguments))
}

fn example(code: &Code) -> Option<Example<'_>> {
    let (before, rest) = code.page().split_once(COMMAND)?;
    let (arguments, rest) = rest.split_once('`')?;
    let (_, block) = before.rsplit_once("```hlsl\n")?;
    let (program, _) = block.split_once("\n```")?;
    let paragraph = rest.find("\n\n").unwrap_or(rest.trim_end().len());
    let end = code.page().len() - rest.len() + paragraph;
    Some(Example { program, arguments, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_has_a_program_and_its_command() {
        let missing: Vec<&str> = Kind::ALL
            .iter()
            .filter(|it| example(it.code()).is_none())
            .map(|it| it.code().name)
            .collect();
        assert!(missing.is_empty(), "pages without a program and `{COMMAND}…`: {missing:?}");
    }
}
