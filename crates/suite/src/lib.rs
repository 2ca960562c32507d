//! The suite: sections of HLSL that check themselves, run at every width on every engine.
//!
//! `suite/README.md` describes the file format. A failing section prints the lanes that failed and their values.
//! Deliberately absent: any expectation about a particular implementation; a section is a program with its expected
//! results.
#![forbid(unsafe_code)]

pub mod bless;
pub mod bombs;
pub mod emulate;
pub mod engines;
pub mod gpu;
pub mod grid;
pub mod hostile;
pub mod legalized;
pub mod meshlets;
pub mod ordered;
pub mod packed;
pub mod pixels;
pub mod plant;
pub mod rational;
pub mod run;
pub mod validate;
pub mod wild;

use std::path::{Path, PathBuf};

pub use jobs::section;
use section::{Section, WIDTHS};

/// The folder with the suite's files.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite")
}

/// All files of sections below a folder, in a fixed order. The tests for `wavelane test` (`jobs/`) have their own
/// format.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
            if path.is_dir() {
                if !path.ends_with("suite/jobs") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|it| it == "hlsl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The width at which to run a generated program: each in turn.
pub fn width_of(seed: u64) -> u32 {
    WIDTHS[(seed % WIDTHS.len() as u64) as usize]
}

/// Two widths of a section, where all of them would take too long: other ones for another `turn`.
pub fn two_widths(section: &Section, turn: usize) -> Vec<u32> {
    let widths = &section.widths;
    let mut two = [turn, turn + 3].map(|it| widths[it % widths.len()]).to_vec();
    two.dedup();
    two
}

/// The sections of a file that dispatch, or the error in it. Those that draw need a device, and run as draws only.
pub fn read(file: &Path) -> Result<Vec<Section>, String> {
    let all = read_all(file)?;
    Ok(all.into_iter().filter(|it| it.draw.is_none()).collect())
}

/// All sections of a file, or the error in it.
pub fn read_all(file: &Path) -> Result<Vec<Section>, String> {
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    section::read(&name, &text)
}
