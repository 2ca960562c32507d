//! Robustness: on any text the readers of jobs terminate soon and without a panic, and their errors are located
//! within it.

use wavelane::internal::Random;
use wavelane_jobs::{Api, Error, check, directives, job, split, tests};

const SEEDS: [&str; 6] = [
    include_str!("../../../suite/jobs/waves.test"),
    include_str!("../../../suite/jobs/bindings.test"),
    include_str!("../../../suite/jobs/floats.test"),
    include_str!("../../../suite/jobs/output.test"),
    include_str!("../../../suite/jobs/passes-swap.test"),
    include_str!("../../../suite/jobs/passes-indirect.test"),
];

/// Words with a meaning in some format.
const WORDS: [&str; 42] = [
    "#--- ",
    "//--- a\n",
    "---\n",
    "...\n",
    ": ",
    "- ",
    "[ ",
    " ]",
    "{ ",
    " }",
    ",",
    ",,",
    "\t",
    "&a ",
    "*a ",
    "!!str ",
    "|\n",
    ">\n",
    "\"",
    "'",
    "# RUN: ",
    "# REQUIRES: (A && ",
    "0x",
    "-nan",
    "0x1p-",
    "1e999",
    "\n",
    "\r\n",
    "\u{feff}",
    "é",
    "FillSize: 99999999999",
    "Passes:\n",
    "  - { Entry: Step, ",
    "Indirect: { Buffer: A, Offset: 4294967292 }",
    "DispatchGroupCount: [ 65536, 0, 1 ]",
    "Repeat: 4294967295, ",
    "Repeat: 0",
    "Bind: { Src: B, 'Src[99999999999]': A }",
    "Set: { 'Add[': [[[1]]], : 2 }",
    "{{",
    "[[X:",
    "%if Vulkan %{ ",
];

fn mutate(seed: &str, random: &mut Random) -> String {
    let mut text = seed.to_owned();
    for _ in 0..1 + random.below(6) {
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        match random.below(4) {
            0 => text.insert_str(at, WORDS[random.below(WORDS.len())]),
            1 => {
                let mut end = (at + random.below(40)).min(text.len());
                while !text.is_char_boundary(end) {
                    end -= 1;
                }
                text.replace_range(at..end, "");
            }
            2 => {
                text.insert_str(at, &WORDS[random.below(WORDS.len())].repeat(1 + random.below(50)))
            }
            _ => text.truncate(at),
        }
    }
    text
}

fn lies_within(errors: &[Error], text: &str) {
    for error in errors {
        assert!(error.at.start <= error.at.end && error.at.end <= text.len(), "{error:?}\n{text}");
        assert!(!error.message.is_empty() && error.render("a", text).contains("error: "));
    }
}

#[test]
fn readers_accept_any_text_without_panicking() {
    let mut random = Random::new(1);
    let (mut read, mut refused) = (0, 0);
    for round in 0..4000 {
        let text = mutate(SEEDS[round % SEEDS.len()], &mut random);
        if let Err(error) = directives(&text) {
            lies_within(&[error], &text);
        }
        let parts = match split(&text) {
            Ok(parts) => parts,
            Err(error) => {
                lies_within(&[error], &text);
                continue;
            }
        };
        for part in parts {
            let inner = &text[part.at];
            match job::read_for(inner, Api::Wavelane) {
                Ok(job) => {
                    read += 1;
                    // The output is matched against patterns, so both must cope with any text.
                    let _ = check(&text, &["CHECK", "ALSO"], &wavelane_jobs::dump(&job));
                }
                Err(errors) => {
                    refused += 1;
                    lies_within(&errors, inner);
                }
            }
        }
        let _ = tests("a.hlsl", &text);
    }
    // A generator of nothing but nonsense, or of none, would prove nothing.
    assert!(read > 200 && refused > 500, "{read} read, {refused} refused");
}

#[test]
fn large_texts_are_refused_or_read_in_linear_time() {
    let list = format!("A: [{}]\n", "1, ".repeat(200_000));
    assert!(job::read(&list).is_err());
    let keys: String = (0..100_000).map(|i| format!("k{i}: 1\n")).collect();
    assert!(job::read(&keys).is_err());
    let anchors = format!("a: &a [x]\n{}", "b: [*a, *a]\n".repeat(1000));
    assert!(job::read(&anchors).is_err());
    let patterns = "# CHECK: {{(a|aa)*b}}\n";
    assert!(check(patterns, &["CHECK"], &"a".repeat(20_000)).is_err());
}
