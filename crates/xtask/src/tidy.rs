//! Tests of the project's rules for which there is no lint.

use crate::sources::files;

/// The most lines a file may have.
const MOST_LINES: usize = 1000;
/// The most columns of a line of a comment.
const MOST_COLUMNS: usize = 120;

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
            // Split up, so that this file does not match.
            for word in [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("#[ign", "ore")] {
                assert!(!line.contains(word), "{}:{number}: {word}", path.display());
            }
        }
    }
}

#[test]
fn comments_are_wrapped() {
    let mut long = Vec::new();
    for path in files(&crate::root().join("crates"), "rs") {
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
            let comment = comment.trim_start_matches(['/', '!', ' ']);
            // A row of a table is one line, however long; code in a comment too.
            let cannot_be_wrapped = comment.starts_with('|') || comment.starts_with('`');
            if line.chars().count() > MOST_COLUMNS && !cannot_be_wrapped {
                long.push(format!("{}:{number}", path.display()));
            }
        }
    }
    assert!(long.is_empty(), "more than {MOST_COLUMNS} columns:\n{}", long.join("\n"));
}

#[test]
fn names_follow_one_convention() {
    for path in files(&crate::root().join("crates"), "rs") {
        // In the folder of a test program, `name.rs` would be a program of its own.
        let is_of_tests = path.iter().any(|it| it == "tests");
        let is_mod = path.file_name().is_some_and(|it| it == "mod.rs");
        assert!(!is_mod || is_of_tests, "{}: name it like its folder, beside it", path.display());
        let text = std::fs::read_to_string(&path).unwrap();
        for (number, line) in (1..).zip(text.lines()) {
            // Split up, so that this file does not match.
            for word in [concat!("const MA", "X_"), concat!("static MA", "X_")] {
                assert!(!line.contains(word), "{}:{number}: limits are `MOST_…`", path.display());
            }
        }
    }
}

/// Without its `mod`, a file beside a test program's `main.rs` would not be compiled, and its tests would not run.
#[test]
fn every_file_of_a_test_program_is_one_of_its_modules() {
    let programs = files(&crate::root().join("crates"), "rs");
    let programs = programs.iter().filter(|it| it.ends_with("main.rs"));
    for main in programs.filter(|it| it.iter().any(|part| part == "tests")) {
        let text = std::fs::read_to_string(main).unwrap();
        for entry in std::fs::read_dir(main.parent().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let is_module = path != *main && path.extension().is_some_and(|it| it == "rs");
            let declared = text.lines().any(|it| it == format!("mod {name};"));
            assert!(!is_module || declared, "{} has no `mod {name};`", main.display());
        }
    }
}

/// Each program links what it tests once more, and leaves cores idle while its last test runs.
#[test]
fn tests_that_need_no_separate_program_share_one() {
    for name in ["cli", "suite"] {
        let folder = crate::root().join("crates").join(name);
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        for entry in std::fs::read_dir(folder.join("tests")).unwrap() {
            let path = entry.unwrap().path();
            let program = path.file_stem().unwrap().to_string_lossy().into_owned();
            let listed = manifest.contains(&format!("[[test]]\nname = \"{program}\"\n"));
            assert!(
                listed || path.extension().is_none_or(|it| it != "rs"),
                "{}: move it to `tests/it`, or list it in `Cargo.toml` with a reason",
                path.display()
            );
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

/// A call counts for all overloads with its number of parameters.
#[test]
fn every_library_function_is_called_in_the_suite() {
    let files = files(&suite::folder().join("functions"), "hlsl");
    let text: String = files.iter().map(|it| std::fs::read_to_string(it).unwrap()).collect();
    let missing: Vec<String> = hlsl::library::names()
        .flat_map(hlsl::library::overloads)
        .filter(|row| !calls(&text, row.name).any(|count| count == row.params.len()))
        .map(|row| row.signature())
        .collect();
    assert!(missing.is_empty(), "not called in suite/functions: {missing:#?}");
}

/// The number of arguments of each call of a function.
fn calls<'t>(text: &'t str, name: &str) -> impl Iterator<Item = usize> + 't {
    let call = format!("{name}(");
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts: Vec<usize> = text
        .match_indices(&call)
        .filter(|(at, _)| !text[..*at].ends_with(is_name))
        .map(|(at, _)| at + call.len())
        .collect();
    starts.into_iter().map(|start| {
        let (mut depth, mut commas) = (0_u32, 0);
        for (i, c) in text[start..].char_indices() {
            match c {
                '(' | '{' | '[' => depth += 1,
                ')' if depth == 0 => return if i == 0 { 0 } else { commas + 1 },
                ')' | '}' | ']' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => commas += 1,
                _ => {}
            }
        }
        0
    })
}

#[test]
fn every_diagnostic_code_has_a_page_and_a_suite_file() {
    // The compiler's diagnostics are in `errors/`, those that need a run in `san/`.
    let files = ["errors", "san"].map(|it| files(&suite::folder().join(it), "hlsl")).concat();
    let names: Vec<String> =
        files.iter().map(|it| it.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    for code in diag::codes() {
        assert!(code.page().lines().count() >= 6, "the page of `{}` says too little", code.name);
        assert!(
            names.iter().any(|it| it == code.name),
            "missing: {}.hlsl in suite/errors or suite/san",
            code.name
        );
    }
}

#[test]
fn section_names_are_unique() {
    let mut names = std::collections::BTreeMap::new();
    for file in suite::files(&suite::folder()) {
        for section in suite::read(&file).unwrap() {
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

/// The rules of draws are complete: what a section shows is one of them.
#[test]
fn every_section_of_draws_is_named_in_the_semantics() {
    let text = std::fs::read_to_string(crate::root().join("docs/semantics.md")).unwrap();
    for folder in ["pixel", "vertex"] {
        for file in suite::files(&suite::folder().join(folder)) {
            for section in suite::read_all(&file).unwrap() {
                assert!(
                    text.contains(&format!("`{}`", section.name)),
                    "docs/semantics.md does not name `{}` of {}",
                    section.name,
                    section.file
                );
            }
        }
    }
}

/// `docs/semantics.md` says "shown by": the sections it names must exist.
#[test]
fn the_semantics_name_sections_that_exist() {
    let sections: std::collections::BTreeSet<String> = suite::files(&suite::folder())
        .iter()
        .flat_map(|file| suite::read_all(file).unwrap())
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
            "docs/semantics.md names `{name}`, which is not a section of the suite"
        );
    }
}
