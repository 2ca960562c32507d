//! Every finding, and every warning that predicts one without a run, is shown by a program that has it and by its
//! nearest correct neighbour. The suite's own tests check that the neighbour is silent; this test checks that it
//! exists.

use std::collections::BTreeSet;

use sanitizer::Kind;
use suite::section::Section;

/// What `check` reports about waves and widths without a run.
const LINTS: [&str; 7] = [
    "assumed-wave-count",
    "bad-wave-size",
    "draft-name",
    "lane-count-switch",
    "narrow-lane-mask",
    "partial-wave",
    "version-dependent-arm",
];

/// The percentage of a neighbour's words that must also be in the wrong program.
const NEAR: usize = 70;

/// The words of the program.
fn words(section: &Section) -> Vec<&str> {
    let code = section.text.lines().map(|it| it.split("//").next().unwrap_or(""));
    let words = code.flat_map(|it| it.split(|it: char| !it.is_alphanumeric() && it != '_'));
    words.filter(|it| !it.is_empty()).collect()
}

fn has(section: &Section, id: &str) -> bool {
    section.announced().any(|it| it.code == id)
        || section.annotations.iter().any(|it| it.code == id)
}

fn is_silent(section: &Section) -> bool {
    !section.has_findings() && section.annotations.is_empty()
}

/// What is missing from the file of a finding.
fn complaint(folder: &str, id: &str) -> Option<String> {
    let path = suite::folder().join(folder).join(format!("{id}.hlsl"));
    let sections = match suite::read_all(&path) {
        Ok(sections) => sections,
        Err(what) => return Some(what),
    };
    let wrong: Vec<&Section> = sections.iter().filter(|it| has(it, id)).collect();
    if wrong.is_empty() {
        return Some(format!("{folder}/{id}.hlsl: no section has `{id}`"));
    }
    let share = |neighbour: &Section, wrong: &Section| {
        let theirs: BTreeSet<&str> = words(wrong).into_iter().collect();
        let ours = words(neighbour);
        100 * ours.iter().filter(|it| theirs.contains(**it)).count() / ours.len().max(1)
    };
    let silent = || sections.iter().filter(|it| is_silent(it));
    let nearest = silent().flat_map(|it| wrong.iter().map(move |wrong| share(it, wrong))).max();
    match nearest {
        None => Some(format!("{folder}/{id}.hlsl: there is no silent neighbour")),
        Some(near) if near < NEAR => Some(format!(
            "{folder}/{id}.hlsl: the nearest neighbour shares only {near} % of its words"
        )),
        Some(_) => None,
    }
}

#[test]
fn every_finding_has_its_program_and_a_silent_neighbour() {
    let findings = Kind::ALL.iter().map(|it| ("san", it.code().name));
    let lints = LINTS.into_iter().map(|it| ("errors", it));
    let wrong: Vec<String> =
        findings.chain(lints).filter_map(|(folder, id)| complaint(folder, id)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn warnings_about_waves_are_in_the_list() {
    for id in LINTS {
        assert!(diag::by_name(id).is_some(), "{id}");
    }
    let document = include_str!("../../../../docs/sanitizer.md");
    let (_, rest) = document.split_once("## Without running\n").unwrap();
    let documented = rest.split("\n## ").next().unwrap_or(rest);
    let rows = documented.lines().filter_map(|it| it.strip_prefix("| `")?.split_once('`'));
    let rows = rows.map(|it| it.0).filter(|it| diag::by_name(it).is_some());
    let missing: Vec<&str> = rows.filter(|it| !LINTS.contains(it)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
