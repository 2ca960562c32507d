//! `wavelane san --timeline DIR`: a page for each finding in a shader, which shows what every lane does at the width
//! that shows it.
//!
//! The pages record runs in the canonical order. A finding that only another order makes is named in the report of
//! `san`, and its page shows the width alone.

use std::collections::BTreeSet;
use std::path::Path;

use timeline::Window;

use super::SanArgs;
use super::record::Program;
use crate::asked::{Launch, WaveSizes};
use crate::problem::Problem;
use crate::recorded::{Subject, record};

/// The most bytes of a page.
const LIMIT: usize = 16 << 20;
/// The most pages.
const MOST_PAGES: usize = 50;

/// Writes the pages of a program, which was compiled from the file.
pub(super) fn write(
    args: &SanArgs,
    file: &str,
    folder: &str,
    program: &Program,
) -> Result<(), Problem> {
    std::fs::create_dir_all(folder)
        .map_err(|error| Problem::input(format!("`{folder}` cannot be made: {error}")))?;
    let mut pages = BTreeSet::new();
    for entry in &program.entries {
        let Some(finding) = &entry.finding else { continue };
        let line = entry.json["line"].as_u64().unwrap_or(0);
        let width = finding.widths.first().copied().unwrap_or(32);
        pages.insert((entry.code.clone(), line, width));
    }
    for (code, line, width) in pages.into_iter().take(MOST_PAGES) {
        let launch =
            Launch { wave_sizes: WaveSizes::List(vec![width]), ..args.common.launch.clone() };
        let subject = Subject {
            file,
            compile: &args.common.compile,
            launch: &launch,
            bind: &args.common.bind,
            adapter: &args.common.device.adapter,
        };
        let mut recording = record(&subject, &Window::default(), true)?.recording;
        let page =
            timeline::fit(&mut recording, LIMIT, &|it| timeline::page::page(it).into_bytes());
        let page = page.map_err(|least| {
            Problem::input(format!("the program takes {least} bytes, too many for a page"))
        })?;
        let path = Path::new(folder).join(format!("{code}-line{line}-wave{width}.html"));
        std::fs::write(&path, page).map_err(|error| {
            Problem::input(format!("`{}` cannot be written: {error}", path.display()))
        })?;
    }
    Ok(())
}
