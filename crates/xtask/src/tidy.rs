//! House rules that no lint knows.

use std::path::{Path, PathBuf};

/// The most lines a file may have and still be about one thing.
const MOST_LINES: usize = 1200;

fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false if path.extension().is_some_and(|it| it == ending) => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_source_file_says_what_it_is_for_and_is_not_too_long() {
    for path in files(&crate::root().join("crates"), "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("//! "), "{} does not start with `//! `", path.display());
        assert!(
            text.lines().count() <= MOST_LINES,
            "{} has more than {MOST_LINES} lines",
            path.display()
        );
        for (number, line) in (1..).zip(text.lines()) {
            // Spelled so that this file does not find itself.
            for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("#[ign", "ore")] {
                assert!(!line.contains(word), "{}:{number}: {word}", path.display());
            }
        }
    }
}

#[test]
fn every_wave_function_has_a_suite_file() {
    let files = files(&suite::folder().join("wave"), "hlsl");
    let names: Vec<String> =
        files.iter().map(|it| it.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let missing: Vec<&str> = ops::intrinsics::all()
        .map(|it| it.name)
        .filter(|name| !names.iter().any(|it| it == name))
        .collect();
    assert!(missing.is_empty(), "missing in suite/wave: {missing:?}");
}

#[test]
fn every_diagnostic_code_has_a_page_and_a_suite_file() {
    let files = files(&suite::folder().join("errors"), "hlsl");
    let names: Vec<String> =
        files.iter().map(|it| it.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    for code in diag::codes() {
        assert!(code.page.lines().count() >= 6, "the page of `{}` says too little", code.name);
        assert!(names.iter().any(|it| it == code.name), "missing: suite/errors/{}.hlsl", code.name);
    }
}

#[test]
fn section_names_are_unique() {
    let mut names = std::collections::BTreeMap::new();
    for file in suite::files(&suite::folder()) {
        for section in suite::section::read(&file).unwrap() {
            let other = names.insert(section.name.clone(), file.clone());
            assert!(
                other.is_none(),
                "`{}` is in {other:?} and in {}",
                section.name,
                file.display()
            );
        }
    }
}

/// `docs/semantics.md` says "shown by": what it names must exist.
#[test]
fn the_semantics_name_sections_that_exist() {
    let sections: std::collections::BTreeSet<String> = suite::files(&suite::folder())
        .iter()
        .flat_map(|file| suite::section::read(file).unwrap())
        .map(|section| section.name)
        .collect();
    let text = std::fs::read_to_string(crate::root().join("docs/semantics.md")).unwrap();
    let named =
        text.split('`').skip(1).step_by(2).filter(|it| it.contains('-') && !it.starts_with('-'));
    let is_section_name =
        |it: &&str| it.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    for name in named.filter(is_section_name) {
        assert!(
            sections.contains(name),
            "docs/semantics.md names `{name}`, which is no section of the suite"
        );
    }
}
