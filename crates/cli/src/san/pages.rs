//! `wavelane san --timeline DIR`: a page for each finding, which shows what every lane does at the width that shows it.
//!
//! The pages record runs in the canonical order. A finding that only another order shows is in the report of `san`; its
//! page shows the width in the canonical order.

use std::collections::BTreeSet;

use jobs::Test;
use timeline::Window;

use super::SanArgs;
use super::record::Program;
use crate::asked::{Launch, WaveSizes};
use crate::pages::Pages;
use crate::problem::Problem;
use crate::recorded::{Subject, With, of_test, record};
use crate::{terminal, testing};

/// The key of a page: a code, a line and a width.
type PageKey = (String, u64, u32);

fn places(program: &Program) -> BTreeSet<PageKey> {
    let found = program.entries.iter().filter_map(|entry| {
        let width = entry.finding.as_ref()?.widths.first().copied().unwrap_or(32);
        let line = entry.json["line"].as_u64().unwrap_or(0);
        Some((entry.code.clone(), line, width))
    });
    found.collect()
}

fn name_of((code, line, width): &PageKey) -> String {
    format!("{code}-line{line}-wave{width}")
}

/// Writes the pages of a program, which was compiled from the file; `before` begins their names.
pub(super) fn write(
    args: &SanArgs,
    file: &str,
    before: &str,
    pages: &mut Pages,
    program: &Program,
) -> Result<(), Problem> {
    for place in places(program) {
        if pages.are_full() {
            break;
        }
        let wave_sizes = WaveSizes::List(vec![place.2]);
        let launch = Launch { wave_sizes, ..args.common.launch.clone() };
        let subject = Subject { launch: &launch, ..Subject::of(file, &args.common) };
        let recording = record(&subject, &Window::default(), With::Findings, None)?.recording;
        pages.write(&format!("{before}{}", name_of(&place)), recording)?;
    }
    Ok(())
}

/// Writes the pages of programs that are tests, or entry points among several (`shaders`).
pub(super) fn of_tests<'a>(
    args: &SanArgs,
    tests: &[Test],
    shaders: &BTreeSet<String>,
    pages: &mut Pages,
    programs: impl Iterator<Item = &'a Program>,
) -> Result<(), Problem> {
    for program in programs {
        let places = places(program);
        let is_it = |it: &&Test| testing::run_name(it, program.number) == program.name;
        let Some(test) = tests.iter().find(is_it) else { continue };
        let before = format!("{}-", program.name);
        if let (true, Some(case)) = (shaders.contains(&test.name()), &test.case) {
            let own = args.of_entry(&test.file, &case.name)?;
            write(&own, &test.file, &before, pages, program)?;
            continue;
        }
        let mut left_out = false;
        for place in places {
            if pages.are_full() {
                break;
            }
            let runs = of_test(&args.common, test, place.2)?;
            match runs.into_iter().nth(program.number.unwrap_or(1) - 1).flatten() {
                Some(recording) => {
                    pages.write(&format!("{before}{}", name_of(&place)), recording)?
                }
                None => left_out = true,
            }
        }
        if left_out {
            let name = &program.name;
            terminal::note(&format!("`--timeline` records single dispatches; `{name}` is not one"));
        }
    }
    Ok(())
}
