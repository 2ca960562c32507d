//! Unit tests in HLSL: finds the cases of a file and reads the logs that they write.
//!
//! A case is `TEST_CASE(name)` or `TEST_DRAW(name, width, height)` of `wavelane.hlsli`, or an entry point with the
//! attribute `[test]`. [`cases`](mod@cases) finds them in the text.
//! The buffers of a case are declared in comment lines above it, as those of a section are: `//# in Data u32: 1,2,3`.

mod cases;
mod places;

use std::collections::BTreeMap;

use wavelane::F16;

use crate::file::TestFile;
use crate::outcome::{Finding, Row};
use crate::section::{self, Given};

pub(crate) use cases::{AT, cases};
pub use cases::{Case, Kind};
pub(crate) use places::Extent;
use places::Invocation;

/// The header, which `#include <wavelane.hlsli>` provides without a file.
pub const HEADER: &str = include_str!("wavelane.hlsli");
/// Its name.
pub const HEADER_NAME: &str = "wavelane.hlsli";
/// The buffer that the header's checks write to.
pub(crate) const LOG: &str = "wavelane_log";
const MOST_RECORDS: usize = 128;
const RECORD: usize = 24;
pub(crate) const LOG_BYTES: usize = 4 * (4 + RECORD * MOST_RECORDS);

/// The directives in the comment lines above a case that begins at a line, or the error in them.
pub(crate) fn given(file: &TestFile, case: &Case) -> Result<Given, String> {
    let line = case.line;
    let mut first = line;
    while first > 1 && file.line(first - 1).trim_start().starts_with("//") {
        first -= 1;
    }
    let lines = (first..line).map(|it| (it, file.line(it).trim()));
    section::above(file.name(), line, &case.kind, lines)
}

/// The contents of a case's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) checks: u32,
    /// One for each check with failures, by their lines in ascending order.
    pub(crate) findings: Vec<Finding>,
}

/// Reads the log of a test of this file, which ran on that extent.
pub(crate) fn read_log(bytes: &[u8], file: &TestFile, extent: Extent) -> Log {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|it| it.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
        .collect();
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let (failures, checks) = (word(0), word(1));
    // For each check, by its line and its number, the values, and for each pair of them how often each lane or pixel
    // has them: the log does not say in which wave.
    let mut failed: BTreeMap<(u32, u32), Vec<Values>> = BTreeMap::new();
    for slot in 0..(failures as usize).min(MOST_RECORDS) {
        let at = 4 + RECORD * slot;
        let (ty, kind) = (word(at + 2), word(at + 3));
        let value = |from: usize| show(ty, &words[from.min(words.len())..]);
        let expected = match kind {
            0 => "true".to_owned(),
            2 => format!("anything but {}", value(at + 16)),
            3 => format!("about {}", value(at + 16)),
            _ => value(at + 16),
        };
        let (place, got) =
            (Invocation::read(word(at + 1), word(at + 5), word(at + 6)), value(at + 8));
        let all = failed.entry((word(at), word(at + 4))).or_default();
        let known = all.iter().position(|it| it.expected == expected && it.got == got);
        let index = known.unwrap_or_else(|| {
            all.push(Values { expected, got, places: BTreeMap::new() });
            all.len() - 1
        });
        *all[index].places.entry(place).or_default() += 1;
    }
    let is_whole = failures as usize <= MOST_RECORDS;
    let findings = failed.into_iter().map(|((line, _), all)| {
        let mut rows: Vec<(Option<Invocation>, Row)> = Vec::new();
        for Values { expected, got, places } in all {
            rows.extend(extent.named(&places, is_whole).into_iter().map(|(place, first)| {
                (first, Row { place, expected: expected.clone(), got: got.clone() })
            }));
        }
        rows.sort_by_key(|it| it.0);
        Finding {
            message: file.line(line).trim().to_owned(),
            file: file.name().to_owned(),
            line,
            rows: rows.into_iter().map(|it| it.1).collect(),
            more: 0,
        }
    });
    let mut findings: Vec<Finding> = findings.collect();
    if let Some(last) = findings.last_mut() {
        last.more = (failures as usize).saturating_sub(MOST_RECORDS);
    }
    Log { checks, findings }
}

/// A pair of values that failed a check.
struct Values {
    expected: String,
    got: String,
    /// How often each lane or pixel had them.
    places: BTreeMap<Invocation, u32>,
}

/// A value in the type that the log names.
fn show(ty: u32, words: &[u32]) -> String {
    let count = (ty >> 8).clamp(1, 4) as usize;
    let wide = matches!(ty & 0xff, 5..=7);
    let one = |index: usize| {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let low = word(if wide { 2 * index } else { index });
        let both = u64::from(low) | if wide { u64::from(word(2 * index + 1)) << 32 } else { 0 };
        match ty & 0xff {
            1 => (low != 0).to_string(),
            2 => (low as i32).to_string(),
            4 => format!("{:?}", f32::from_bits(low)),
            5 => (both as i64).to_string(),
            6 => both.to_string(),
            7 => format!("{:?}", f64::from_bits(both)),
            8 => (low as i16).to_string(),
            10 => format!("{:?}", F16(low as u16).to_f32()),
            _ => low.to_string(),
        }
    };
    match count {
        1 => one(0),
        _ => format!("({})", (0..count).map(one).collect::<Vec<_>>().join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXTENT: Extent = Extent::Threads { threads: 128, width: 32 };

    #[test]
    fn logs_show_lanes_with_values_of_the_right_type() {
        let mut words = vec![0u32; LOG_BYTES / 4];
        words[0] = 3;
        words[1] = 8;
        words[4..8].copy_from_slice(&[2, 3, 0x204, 1]);
        words[12..14].copy_from_slice(&[1.5f32.to_bits(), f32::NAN.to_bits()]);
        words[28..32].copy_from_slice(&[1, 0, 0x105, 1]);
        words[36..38].copy_from_slice(&[u32::MAX, u32::MAX]);
        // Another wave has the same values as the first.
        words.copy_within(4..28, 52);
        // Another check in the same line has the same values.
        words[0] = 4;
        words.copy_within(4..28, 76);
        words[80] = 7;
        let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        let log = read_log(&bytes, &TestFile::new("a.hlsl", "first\n  second\n"), EXTENT);
        assert_eq!(log.checks, 8);
        assert_eq!(log.findings[0].rows[0].got, "-1");
        assert_eq!(log.findings[1].message, "second");
        let row = &log.findings[1].rows[0];
        assert_eq!((row.place.as_str(), row.got.as_str()), ("lane 3, 2 times", "(1.5, NaN)"));
        assert_eq!(log.findings[1].rows.len(), 1);
        assert_eq!(row.expected, "(0.0, 0.0)");
        let other = &log.findings[2];
        assert_eq!((other.line, other.rows[0].place.as_str()), (2, "lane 3"));
    }
}
