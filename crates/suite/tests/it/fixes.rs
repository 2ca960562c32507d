//! Every fix that a diagnostic of the suite offers is applied, and the result compiled: the mistake is gone, and the
//! fix has brought no other.

use std::collections::BTreeSet;
use std::path::Path;

use diag::{Diagnostic, Fix, Level};
use suite::run::{Compiled, compile, compile_text, options};
use suite::section::Section;

/// Mistakes that hide another one, which their fix reveals: the beginning of each message.
const REVEALING: &[&str] = &[
    // The file does not exist.
    "`#inclide` is not a directive",
    // The patch-constant function is missing, too, or gives nothing.
    "`domain` cannot be `\"tir\"`",
    "the patch-constant function `constants` is not declared",
    // A shader of that kind has parameters.
    "`shader` cannot be `\"closest_hit\"`",
];

/// The errors of a compilation, each by its code and message.
fn errors(compiled: &Compiled) -> Vec<(&'static str, &str)> {
    let errors = compiled.diagnostics.iter().filter(|it| it.level == Level::Error);
    errors.map(|it| (it.code.name, it.message.as_str())).collect()
}

/// The text of the main file with a fix applied; `None` for one in another file.
fn applied(text: &str, compiled: &Compiled, fix: &Fix) -> Option<String> {
    let file = compiled.sources.file(compiled.sources.file_of(fix.span)?);
    if &*file.text != text || !fix.span.expansion.is_none() {
        return None;
    }
    let (from, to) = ((fix.span.lo - file.start) as usize, (fix.span.hi - file.start) as usize);
    Some(format!("{}{}{}", text.get(..from)?, fix.replacement, text.get(to..)?))
}

fn check(section: &Section, compiled: &Compiled, broken: &Diagnostic, fix: &Fix) -> Option<String> {
    let text = applied(&section.source(), compiled, fix)?;
    let mut options = options(&section.flags).unwrap();
    options.defines.push(("WIDTH".to_owned(), Some(section.widths[0].to_string())));
    let fixed = compile_text(&section.file, &text, &options);
    let count = |of: &Compiled| {
        let same =
            |it: &&Diagnostic| it.code.name == broken.code.name && it.message == broken.message;
        of.diagnostics.iter().filter(same).count()
    };
    // A syntax error hides what `check` would say, so that other errors may appear that were there before.
    let hides = errors(compiled)
        .iter()
        .all(|it| ["syntax", "bad-directive", "unclosed", "bad-macro"].contains(&it.0));
    let before: BTreeSet<_> = errors(compiled).into_iter().collect();
    let hides = hides && broken.code.name == "syntax"
        || REVEALING.iter().any(|it| broken.message.starts_with(it));
    let new: Vec<_> = errors(&fixed).into_iter().filter(|it| !before.contains(it)).collect();
    let what = match (count(&fixed) < count(compiled), new.is_empty() || hides) {
        (true, true) => return Some(String::new()),
        (false, _) => "the mistake is still there".to_owned(),
        (true, false) => format!("new errors: {new:?}"),
    };
    Some(format!(
        "{}:{}: {}: `{}`: {what}\n",
        section.file, section.line, broken.message, fix.replacement
    ))
}

#[test]
fn every_fix_of_the_suite_mends_its_mistake_and_compiles() {
    let (mut failures, mut tried) = (String::new(), 0);
    let mut places: BTreeSet<(String, usize)> = BTreeSet::new();
    let sections =
        suite::files(&suite::folder()).into_iter().flat_map(|it| suite::read(&it).unwrap());
    for section in sections {
        let Ok(compiled) = compile(&section, section.widths[0]) else { continue };
        for broken in &compiled.diagnostics {
            for fix in broken.helps.iter().filter_map(|it| it.fix.as_ref()) {
                if let Some(what) = check(&section, &compiled, broken, fix) {
                    let at = fix.made_at;
                    places.insert((short(Path::new(at.file())), at.line() as usize));
                    tried += 1;
                    failures.push_str(&what);
                }
            }
        }
    }
    assert!(tried > 40, "{tried}");
    assert!(failures.is_empty(), "{failures}");
    let made: Vec<(String, usize)> = fixes_of(&front_end());
    let missing: Vec<_> = made.into_iter().filter(|it| !places.contains(it)).collect();
    assert!(missing.is_empty(), "no section of the suite causes the fixes made at {missing:?}");
}

fn front_end() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hlsl/src")
}

/// The places in a folder of sources, by file name and line, that make fixes.
fn fixes_of(folder: &Path) -> Vec<(String, usize)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(fixes_of(&path));
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| line.contains(".fix("));
        found.extend(lines.map(|(i, _)| (short(&path), i + 1)));
    }
    found.sort();
    found
}

/// The path of a source, from the folder `hlsl` on.
fn short(path: &Path) -> String {
    let parts: Vec<_> = path.iter().map(|it| it.to_string_lossy().into_owned()).collect();
    let from = parts.iter().rposition(|it| it == "hlsl").unwrap_or(0);
    parts[from..].join("/")
}
