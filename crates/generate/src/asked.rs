//! How many programs a test tries: as many as it usually does, or the seeds that `PROGRAMS` names.

use std::ops::Range;

/// The seeds that a test goes through: `usual` of them from 0, unless the environment's `PROGRAMS` names others.
///
/// A number is how many from 0, and `FIRST..END` a part of them, so that several processes can share the work.
#[expect(clippy::disallowed_methods, reason = "the number of programs is given to a test")]
pub fn seeds(usual: u64) -> Range<u64> {
    let Ok(words) = std::env::var("PROGRAMS") else { return 0..usual };
    parse(&words).unwrap_or_else(|| panic!("PROGRAMS={words}: neither a number nor FIRST..END"))
}

fn parse(words: &str) -> Option<Range<u64>> {
    let (first, end) = words.split_once("..").unwrap_or(("0", words));
    let range = first.trim().parse().ok()?..end.trim().parse().ok()?;
    // A test that tries nothing cannot fail.
    (!range.is_empty()).then_some(range)
}

#[test]
fn a_count_or_a_part_is_requested() {
    assert_eq!(parse("100"), Some(0..100));
    assert_eq!(parse("100..250"), Some(100..250));
    for wrong in ["", "0", "7..7", "9..7", "many", "1..2..3", "-1"] {
        assert_eq!(parse(wrong), None, "{wrong}");
    }
}
