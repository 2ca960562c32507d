//! Whether a buffer holds the expected values, bit for bit as the format's rules say.

use wavelane::F16;

use crate::job::{Buffer, Denormals, Rule};
use crate::number::NumberFormat;

/// Where two buffers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The arrays or their elements have different sizes.
    Size { expected: String, got: String },
    /// Numbers that differ, up to a limit, and their total number.
    Numbers { first: Vec<Number>, count: usize },
}

/// One unexpected number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// The index in the array of buffers, if there is one.
    pub element: Option<usize>,
    pub index: usize,
    pub expected: String,
    pub got: String,
}

/// The number of differences to report.
const MOST_TOLD: usize = 32;

/// Compares two buffers; `None` means that they match.
pub fn compare(rule: Rule, actual: &Buffer, expected: &Buffer) -> Option<Difference> {
    let size = |it: &Buffer| match it.data.len() {
        1 => format!("{} bytes", it.size()),
        elements => format!("{elements} elements of {} bytes", it.size()),
    };
    if actual.data.len() != expected.data.len() || actual.size() != expected.size() {
        return Some(Difference::Size { expected: size(expected), got: size(actual) });
    }
    let mut first = Vec::new();
    let mut count = 0;
    // The same bytes may be declared in two formats; then each is shown in its own, which requires equal widths.
    let format = actual.format;
    let shown_as = if expected.format.bytes() == format.bytes() { expected.format } else { format };
    let seen = Buffer { format, ..expected.clone() };
    for element in 0..actual.data.len() {
        for (index, (got, wanted)) in actual.numbers(element).zip(seen.numbers(element)).enumerate()
        {
            if fits(rule, format, got, wanted) {
                continue;
            }
            count += 1;
            if first.len() < MOST_TOLD {
                first.push(Number {
                    element: (actual.data.len() > 1).then_some(element),
                    index,
                    expected: shown_as.show(wanted),
                    got: format.show(got),
                });
            }
        }
    }
    (count > 0).then_some(Difference::Numbers { first, count })
}

fn fits(rule: Rule, format: NumberFormat, got: u64, wanted: u64) -> bool {
    match (rule, format) {
        (Rule::Exact, _) => got == wanted,
        (Rule::Ulp { most, zero, .. }, NumberFormat::Float16) => {
            half_ulp(got as u16, wanted as u16, most, zero as f32)
        }
        (Rule::Epsilon { below, .. }, NumberFormat::Float16) => {
            let (got, wanted) = (got as u16, wanted as u16);
            half_settled(got, wanted)
                .unwrap_or_else(|| (half(got) - half(wanted)).abs() < below as f32)
        }
        (Rule::Ulp { most, zero, denormals }, NumberFormat::Float64) => {
            let (a, b) = (f64::from_bits(got), f64::from_bits(wanted));
            if let Some(verdict) = settled(a, b, b.is_subnormal(), denormals) {
                return verdict;
            }
            if zero > 0.0 && (a.abs() <= zero || b.abs() <= zero) {
                return (a - b).abs() <= zero;
            }
            (got.wrapping_sub(wanted) as i64).unsigned_abs() <= u64::from(most)
        }
        (Rule::Epsilon { below, denormals }, NumberFormat::Float64) => {
            let (a, b) = (f64::from_bits(got), f64::from_bits(wanted));
            settled(a, b, b.is_subnormal(), denormals).unwrap_or_else(|| (a - b).abs() < below)
        }
        (Rule::Ulp { most, zero, denormals }, _) => {
            let (a, b) = (f32::from_bits(got as u32), f32::from_bits(wanted as u32));
            if let Some(verdict) = settled(f64::from(a), f64::from(b), b.is_subnormal(), denormals)
            {
                return verdict;
            }
            let zero = zero as f32;
            if zero > 0.0 && (a.abs() <= zero || b.abs() <= zero) {
                return (a - b).abs() <= zero;
            }
            ((got as u32).wrapping_sub(wanted as u32) as i32).unsigned_abs() <= most
        }
        (Rule::Epsilon { below, denormals }, _) => {
            let (a, b) = (f32::from_bits(got as u32), f32::from_bits(wanted as u32));
            settled(f64::from(a), f64::from(b), b.is_subnormal(), denormals)
                .unwrap_or_else(|| (a - b).abs() < below as f32)
        }
    }
}

/// What does not depend on the tolerance: equality, NaN, and a zero for a denormal of the same sign.
fn settled(got: f64, wanted: f64, is_denormal: bool, denormals: Denormals) -> Option<bool> {
    if got == wanted {
        return Some(true);
    }
    if got.is_nan() || wanted.is_nan() {
        return Some(got.is_nan() && wanted.is_nan());
    }
    let is_flushed = is_denormal && got == 0.0;
    let same_sign = got.is_sign_negative() == wanted.is_sign_negative();
    (denormals == Denormals::Any && is_flushed && same_sign).then_some(true)
}

/// For half floats both zeros are equal, and denormals are kept in every mode.
fn half_settled(got: u16, wanted: u16) -> Option<bool> {
    let is_nan = |it: u16| it & 0x7c00 == 0x7c00 && it & 0x03ff != 0;
    if got == wanted || (got | wanted) & 0x7fff == 0 {
        return Some(true);
    }
    (is_nan(got) || is_nan(wanted)).then(|| is_nan(got) && is_nan(wanted))
}

fn half_ulp(got: u16, wanted: u16, most: u32, zero: f32) -> bool {
    if let Some(verdict) = half_settled(got, wanted) {
        return verdict;
    }
    let (a, b) = (half(got), half(wanted));
    if zero > 0.0 && (a.abs() <= zero || b.abs() <= zero) {
        return (a - b).abs() <= zero;
    }
    let ordered = |it: u16| i32::from(if it & 0x8000 != 0 { !it } else { it | 0x8000 });
    (ordered(got) - ordered(wanted)).unsigned_abs() <= most
}

fn half(bits: u16) -> f32 {
    F16(bits).to_f32()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Denormals = Denormals::Any;

    fn ulp(most: u32) -> Rule {
        Rule::Ulp { most, zero: 0.0, denormals: ANY }
    }

    fn epsilon(below: f64) -> Rule {
        Rule::Epsilon { below, denormals: ANY }
    }

    #[test]
    fn float_rules_decide_every_corner_case() {
        let near_zero = Rule::Ulp { most: 0, zero: 0.5, denormals: ANY };
        let kept = Rule::Ulp { most: 0, zero: 0.0, denormals: Denormals::Preserve };
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        for (rule, got, wanted, expected) in [
            (ulp(0), 1.0, 1.0, true),
            (ulp(0), 0.0, -0.0, true),
            (ulp(0), -nan, nan, true),
            (ulp(9), nan, 1.0, false),
            (ulp(1), 1.0, 1.000_000_1, true),
            (ulp(0), 1.0, 1.000_000_1, false),
            // The plain difference of the bits: numbers near a zero of the other sign are far away.
            (ulp(1), 1e-45, -1e-45, false),
            (ulp(0), 0.0, 1e-45, true),
            (ulp(0), -0.0, 1e-45, false),
            (ulp(0), 1e-45, 0.0, false),
            (kept, 0.0, 1e-45, false),
            (near_zero, 0.25, -0.25, true),
            (near_zero, 2.0, 2.5, false),
            (epsilon(0.5), 1.0, 1.25, true),
            (epsilon(0.5), 1.0, 1.5, false),
            (epsilon(0.5), inf, inf, true),
            (epsilon(0.5), inf, -inf, false),
            (Rule::Exact, 0.0, -0.0, false),
        ] {
            let (got, wanted): (f32, f32) = (got, wanted);
            let fits =
                fits(rule, NumberFormat::Float32, got.to_bits().into(), wanted.to_bits().into());
            assert_eq!(fits, expected, "{got:?} for {wanted:?} by {rule:?}");
        }
        let d = |value: f64| value.to_bits();
        assert!(fits(ulp(1), NumberFormat::Float64, d(1.0), d(1.0) + 1));
        assert!(!fits(ulp(1), NumberFormat::Float64, d(1.0), d(1.0) + 2));
        assert!(fits(epsilon(1e-9), NumberFormat::Float64, d(1.0), d(1.0 + 1e-10)));
    }

    #[test]
    fn halves_are_ordered_across_zero_and_their_nan_are_equal() {
        assert!(half_ulp(0x0000, 0x8000, 0, 0.0));
        assert!(half_ulp(0x7e00, 0xfe01, 0, 0.0));
        assert!(!half_ulp(0x7e00, 0x3c00, 9, 0.0));
        assert!(half_ulp(0x0001, 0x8000, 2, 0.0));
        assert!(half_ulp(0x3c00, 0x3c01, 1, 0.0));
        assert!(!half_ulp(0x0001, 0x0000, 0, 0.0));
        assert!(fits(epsilon(0.25), NumberFormat::Float16, 0x3c00, 0x3c10));
    }

    #[test]
    fn differences_name_element_index_and_values() {
        let buffer = |data: Vec<Vec<u8>>, format| Buffer {
            target: None,
            name: "A".to_owned(),
            format,
            channels: 1,
            stride: 0,
            data,
            texture: None,
            counters: Vec::new(),
            at: 0..0,
        };
        let a = buffer(vec![vec![1, 0, 2, 0], vec![3, 0, 4, 0]], NumberFormat::UInt16);
        let b = buffer(vec![vec![1, 0, 2, 0], vec![3, 0, 255, 255]], NumberFormat::Int16);
        assert_eq!(compare(Rule::Exact, &a, &a), None);
        let Some(Difference::Numbers { first, count: 1 }) = compare(Rule::Exact, &a, &b) else {
            panic!("one number differs");
        };
        let expected =
            Number { element: Some(1), index: 1, expected: "-1".to_owned(), got: "4".to_owned() };
        assert_eq!(first, [expected]);
        let c = buffer(vec![vec![1, 0]], NumberFormat::UInt16);
        assert!(matches!(compare(Rule::Exact, &c, &b), Some(Difference::Size { .. })));
    }
}
