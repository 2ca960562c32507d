//! Unit tests in HLSL: finds the cases of a file and reads the logs that they write.
//!
//! A case is `TEST_CASE(name)` of `wavelane.hlsli`, or an entry point with the attribute `[test]`. Cases are found
//! in the text, ignoring comments and strings; the expansions of other macros are not seen.
//! The buffers of a case stand in comment lines above it, as those of a section do: `//# in Data u32: 1,2,3`.

use std::collections::BTreeMap;

use wavelane::F16;

use crate::file::TestFile;
use crate::outcome::{Finding, Row};
use crate::section::{self, Given};

/// The header, which `#include <wavelane.hlsli>` provides without a file.
pub const HEADER: &str = include_str!("wavelane.hlsli");
/// Its name.
pub const HEADER_NAME: &str = "wavelane.hlsli";
/// The buffer that the header's checks write to.
pub(crate) const LOG: &str = "wavelane_log";
const MOST_RECORDS: usize = 128;
const RECORD: usize = 24;
pub(crate) const LOG_BYTES: usize = 4 * (4 + RECORD * MOST_RECORDS);

/// A case: the name of an entry point, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub line: u32,
}

/// The cases of a file, in order, and its text as it is to be compiled.
pub(crate) fn cases(text: &str) -> (Vec<Case>, String) {
    let mut cases = Vec::new();
    let mut compiled = text.to_owned();
    let tokens = tokens(text);
    let word = |index: usize| tokens.get(index).map_or("", |it| it.1);
    // Lines are counted from the last token looked up.
    let (mut counted_to, mut lines) = (0, 1);
    let mut line = |at: usize| {
        lines += text[counted_to..at].matches('\n').count() as u32;
        counted_to = at;
        lines
    };
    for (index, (at, token)) in tokens.iter().enumerate() {
        let is_macro = matches!(*token, "TEST_CASE" | "TEST_CASE_N");
        if is_macro && word(index + 1) == "(" && !(index > 0 && word(index - 1) == "define") {
            let name = word(index + 2);
            if is_name(name) {
                cases.push(Case { name: name.to_owned(), line: line(*at) });
            }
        }
        if *token == "[" && word(index + 1) == "test" && word(index + 2) == "]" {
            let line = line(*at);
            // The function's name comes before the first parenthesis outside of attributes.
            let mut depth = 0;
            for (next, (_, token)) in tokens.iter().enumerate().skip(index + 3) {
                match *token {
                    "[" => depth += 1,
                    "]" => depth -= 1,
                    "(" if depth == 0 => {
                        if is_name(word(next - 1)) {
                            cases.push(Case { name: word(next - 1).to_owned(), line });
                        }
                        break;
                    }
                    "{" | ";" if depth == 0 => break,
                    _ => {}
                }
            }
            // Blanked, because other compilers do not know the attribute, and ours does not need it.
            let end = tokens[index + 2].0 + 1;
            compiled.replace_range(*at..end, &" ".repeat(end - at));
        }
    }
    (cases, compiled)
}

/// What stands in the comment lines above a case that begins at a line, or the error in them.
pub(crate) fn given(file: &TestFile, line: u32) -> Result<Given, String> {
    let mut first = line;
    while first > 1 && file.line(first - 1).trim_start().starts_with("//") {
        first -= 1;
    }
    section::above(file.name(), (first..line).map(|it| (it, file.line(it).trim())))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|it: char| it.is_alphabetic() || it == '_')
}

/// Words and single characters, without comments and literals.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |it| it + 4)
        } else if first == '"' {
            let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |it| it + 2);
            end.min(rest.len())
        } else if is_word(first) {
            let len = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
            tokens.push((at, &rest[..len]));
            len
        } else {
            let len = first.len_utf8();
            if !first.is_whitespace() {
                tokens.push((at, &rest[..len]));
            }
            len
        };
        at += len;
    }
    tokens
}

/// The contents of a case's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Log {
    pub(crate) checks: u32,
    /// One for each check with failures, by their lines in ascending order.
    pub(crate) findings: Vec<Finding>,
}

/// Reads the log of a test of this file, which ran with that many threads, in waves of that width.
pub(crate) fn read_log(bytes: &[u8], file: &TestFile, threads: u32, width: u32) -> Log {
    let words: Vec<u32> = bytes
        .chunks_exact(4)
        .map(|it| it.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)))
        .collect();
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    let (failures, checks) = (word(0), word(1));
    // For each check, by its line and its number, the values, and for each pair of them how often each lane has them: the log
    // does not say in which wave.
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
        let (lane, got) = (word(at + 1), value(at + 8));
        let all = failed.entry((word(at), word(at + 4))).or_default();
        let known = all.iter().position(|it| it.expected == expected && it.got == got);
        let index = known.unwrap_or_else(|| {
            all.push(Values { expected, got, lanes: BTreeMap::new() });
            all.len() - 1
        });
        *all[index].lanes.entry(lane).or_default() += 1;
    }
    let is_whole = failures as usize <= MOST_RECORDS;
    let place = |lanes: &BTreeMap<u32, u32>| match is_whole {
        true => places(lanes, threads, width),
        false => vec![(listed(lanes.keys().copied()), lanes.keys().next().copied())],
    };
    let findings = failed.into_iter().map(|((line, _), all)| {
        let mut rows: Vec<(Option<u32>, Row)> = Vec::new();
        for Values { expected, got, lanes } in all {
            rows.extend(place(&lanes).into_iter().map(|(place, first)| {
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
    /// How often each lane had them.
    lanes: BTreeMap<u32, u32>,
}

/// Lanes in words that do not depend on the width where the matter does not, so that equal failures at several widths read alike;
/// each with the first lane.
fn places(lanes: &BTreeMap<u32, u32>, threads: u32, width: u32) -> Vec<(String, Option<u32>)> {
    // In how many waves there is a lane of that number.
    let waves = |lane: u32| threads.saturating_sub(lane).div_ceil(width.max(1));
    let is_in_every_wave = |lane: u32, times: u32| times == waves(lane);
    let are_all = lanes.len() as u32 == threads.min(width)
        && lanes.iter().all(|(lane, times)| is_in_every_wave(*lane, *times));
    if are_all {
        return vec![("all lanes".to_owned(), Some(0))];
    }
    // Narrower waves would be several.
    let are_several = threads > 4;
    let mut groups: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (lane, times) in lanes {
        let how_often = match *times {
            times if are_several && is_in_every_wave(*lane, times) => " of every wave".to_owned(),
            1 => String::new(),
            times => format!(", {times} times"),
        };
        groups.entry(how_often).or_default().push(*lane);
    }
    let named = |(how_often, lanes): (String, Vec<u32>)| {
        let each = if lanes.len() > 1 && how_often.ends_with("times") { " each" } else { "" };
        let first = lanes.first().copied();
        (format!("{}{how_often}{each}", listed(lanes.into_iter())), first)
    };
    groups.into_iter().map(named).collect()
}

/// `lane 3`, `lanes 0 to 3, 7`.
fn listed(lanes: impl Iterator<Item = u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for lane in lanes {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            _ => ranges.push((lane, lane)),
        }
    }
    let texts: Vec<String> = ranges
        .iter()
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first} to {last}"),
        })
        .collect();
    let is_one = matches!(ranges.as_slice(), [(first, last)] if first == last);
    format!("{} {}", if is_one { "lane" } else { "lanes" }, texts.join(", "))
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

    #[test]
    fn cases_are_found_outside_of_comments_and_strings() {
        let text = "// TEST_CASE(no)\n#include <wavelane.hlsli>\n/* TEST_CASE(no) */\nTEST_CASE(one) { }\n\
                    [test] [numthreads(4, 1, 1)]\nvoid two(uint i : SV_GroupIndex) {}\n\
                    #define TEST_CASE(x) \"TEST_CASE(no)\"\nTEST_CASE_N(three, 1, 1, 1) {}\n";
        let (found, compiled) = cases(text);
        let names: Vec<(&str, u32)> = found.iter().map(|it| (it.name.as_str(), it.line)).collect();
        assert_eq!(names, [("one", 4), ("two", 5), ("three", 8)]);
        assert_eq!(compiled.len(), text.len());
        assert!(!compiled.contains("[test]"));
    }

    #[test]
    fn lanes_are_told_in_words_that_do_not_depend_on_the_width() {
        let all = |lanes: std::ops::Range<u32>, times| lanes.map(|it| (it, times)).collect();
        let texts = |lanes: BTreeMap<u32, u32>, threads, width| -> Vec<String> {
            places(&lanes, threads, width).into_iter().map(|it| it.0).collect()
        };
        for width in [4, 8, 16, 32, 64, 128] {
            assert_eq!(texts(all(0..width, 128 / width), 128, width), ["all lanes"], "{width}");
            assert_eq!(texts(all(3..4, 128 / width), 128, width), ["lane 3 of every wave"]);
            // The last wave is not full.
            let partial = (0..width.min(130)).map(|it| (it, (130 - it).div_ceil(width))).collect();
            assert_eq!(texts(partial, 130, width), ["all lanes"], "{width}");
        }
        assert_eq!(texts(all(1..4, 2), 128, 8), ["lanes 1 to 3, 2 times each"]);
        assert_eq!(texts([(0, 1), (2, 1), (3, 1), (7, 1)].into(), 128, 8), ["lanes 0, 2, 3, 7"]);
        assert_eq!(texts([(1, 1)].into(), 4, 4), ["lane 1"]);
        assert_eq!(
            texts([(1, 16), (2, 3)].into(), 128, 8),
            ["lane 1 of every wave", "lane 2, 3 times"]
        );
    }

    #[test]
    fn logs_show_lanes_with_values_of_the_right_type() {
        let mut words = vec![0u32; LOG_BYTES / 4];
        words[0] = 3;
        words[1] = 8;
        words[4..8].copy_from_slice(&[2, 3, 0x204, 1]);
        words[12..14].copy_from_slice(&[1.5f32.to_bits(), f32::NAN.to_bits()]);
        words[28..32].copy_from_slice(&[1, 0, 0x105, 1]);
        words[36..38].copy_from_slice(&[u32::MAX, u32::MAX]);
        // Another wave says the same as the first.
        words.copy_within(4..28, 52);
        // Another check in the same line has the same values.
        words[0] = 4;
        words.copy_within(4..28, 76);
        words[80] = 7;
        let bytes: Vec<u8> = words.iter().flat_map(|it| it.to_le_bytes()).collect();
        let log = read_log(&bytes, &TestFile::new("a.hlsl", "first\n  second\n"), 128, 32);
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
