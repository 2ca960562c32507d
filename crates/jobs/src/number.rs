//! The numbers of jobs: their formats, parsing and printing.
//!
//! Both directions follow LLVM's YAML reader, including corner cases: radix by prefix, `nan` and hexadecimal floats
//! as accepted by `strtof`, floats printed as by `%g`.

use wavelane::{F16, Scalar};

/// The type of a buffer's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberFormat {
    Hex8,
    Hex16,
    Hex32,
    Hex64,
    UInt16,
    UInt32,
    UInt64,
    Int16,
    Int32,
    Int64,
    Float16,
    Float32,
    Float64,
    Depth32,
    Bool,
}

/// The interpretation of the digits of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Digits {
    Hex,
    Unsigned,
    Signed,
    Float,
}

impl NumberFormat {
    pub const NAMES: [(&'static str, NumberFormat); 15] = [
        ("Hex8", NumberFormat::Hex8),
        ("Hex16", NumberFormat::Hex16),
        ("Hex32", NumberFormat::Hex32),
        ("Hex64", NumberFormat::Hex64),
        ("UInt16", NumberFormat::UInt16),
        ("UInt32", NumberFormat::UInt32),
        ("UInt64", NumberFormat::UInt64),
        ("Int16", NumberFormat::Int16),
        ("Int32", NumberFormat::Int32),
        ("Int64", NumberFormat::Int64),
        ("Float16", NumberFormat::Float16),
        ("Float32", NumberFormat::Float32),
        ("Float64", NumberFormat::Float64),
        ("Depth32", NumberFormat::Depth32),
        ("Bool", NumberFormat::Bool),
    ];

    pub fn name(self) -> &'static str {
        let row = NumberFormat::NAMES.iter().find(|(_, format)| *format == self);
        row.map_or("", |(name, _)| name)
    }

    pub fn bytes(self) -> usize {
        match self {
            NumberFormat::Hex8 => 1,
            NumberFormat::Hex16
            | NumberFormat::UInt16
            | NumberFormat::Int16
            | NumberFormat::Float16 => 2,
            NumberFormat::Hex32
            | NumberFormat::UInt32
            | NumberFormat::Int32
            | NumberFormat::Float32
            | NumberFormat::Depth32
            | NumberFormat::Bool => 4,
            NumberFormat::Hex64
            | NumberFormat::UInt64
            | NumberFormat::Int64
            | NumberFormat::Float64 => 8,
        }
    }

    /// Whether the rules for floats apply to it.
    pub fn is_float(self) -> bool {
        matches!(self, NumberFormat::Float16 | NumberFormat::Float32 | NumberFormat::Float64)
    }

    /// The name in the device's layouts.
    pub fn scalar(self) -> Scalar {
        match self {
            NumberFormat::Hex8 => Scalar::U8,
            NumberFormat::Hex16 | NumberFormat::UInt16 => Scalar::U16,
            NumberFormat::Hex32 | NumberFormat::UInt32 => Scalar::U32,
            NumberFormat::Hex64 | NumberFormat::UInt64 => Scalar::U64,
            NumberFormat::Int16 => Scalar::I16,
            NumberFormat::Int32 => Scalar::I32,
            NumberFormat::Int64 => Scalar::I64,
            NumberFormat::Float16 => Scalar::F16,
            NumberFormat::Float32 | NumberFormat::Depth32 => Scalar::F32,
            NumberFormat::Float64 => Scalar::F64,
            NumberFormat::Bool => Scalar::Bool,
        }
    }

    fn digits(self) -> Digits {
        match self {
            // Half floats are always written as bits.
            NumberFormat::Hex8
            | NumberFormat::Hex16
            | NumberFormat::Hex32
            | NumberFormat::Hex64
            | NumberFormat::Float16 => Digits::Hex,
            // A boolean in memory is a word, and jobs write that word.
            NumberFormat::UInt16
            | NumberFormat::UInt32
            | NumberFormat::UInt64
            | NumberFormat::Bool => Digits::Unsigned,
            NumberFormat::Int16 | NumberFormat::Int32 | NumberFormat::Int64 => Digits::Signed,
            NumberFormat::Float32 | NumberFormat::Float64 | NumberFormat::Depth32 => Digits::Float,
        }
    }

    /// The bits that a text represents, or an error.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        match self.digits() {
            Digits::Hex | Digits::Unsigned => {
                let value = integer(text).filter(|it| *it >= 0 && !text.starts_with('-'));
                let value = value.ok_or_else(|| format!("`{text}` is not an unsigned integer"))?;
                let most = u64::MAX >> (64 - 8 * self.bytes());
                let value = u64::try_from(value).ok().filter(|it| *it <= most);
                value.ok_or_else(|| format!("`{text}` is out of the range of {}", self.name()))
            }
            Digits::Signed => {
                let value = integer(text).ok_or_else(|| format!("`{text}` is not an integer"))?;
                let bits = 8 * self.bytes() as u32;
                let most = (1i128 << (bits - 1)) - 1;
                if !(-most - 1..=most).contains(&value) {
                    return Err(format!("`{text}` is out of the range of {}", self.name()));
                }
                Ok(value as u64 & (u64::MAX >> (64 - bits)))
            }
            Digits::Float => {
                let wrong = || format!("`{text}` is not a number");
                match self.bytes() {
                    4 => float32(text).map(|it| u64::from(it.to_bits())).ok_or_else(wrong),
                    _ => float64(text).map(f64::to_bits).ok_or_else(wrong),
                }
            }
        }
    }

    /// The form that jobs print.
    pub fn print(self, bits: u64) -> String {
        match self.digits() {
            Digits::Hex => format!("0x{bits:X}"),
            Digits::Unsigned => bits.to_string(),
            Digits::Signed => match self.bytes() {
                2 => (bits as i16).to_string(),
                4 => (bits as i32).to_string(),
                _ => (bits as i64).to_string(),
            },
            Digits::Float => match self.bytes() {
                4 => general(f64::from(f32::from_bits(bits as u32))),
                _ => general(f64::from_bits(bits)),
            },
        }
    }

    /// For people who look for a difference: exact, and with the bits where they are not obvious.
    pub fn show(self, bits: u64) -> String {
        let (value, digits) = match self {
            NumberFormat::Float16 => (f64::from(F16(bits as u16).to_f32()), 4),
            NumberFormat::Float32 | NumberFormat::Depth32 => {
                (f64::from(f32::from_bits(bits as u32)), 8)
            }
            NumberFormat::Float64 => (f64::from_bits(bits), 16),
            NumberFormat::Hex8
            | NumberFormat::Hex16
            | NumberFormat::Hex32
            | NumberFormat::Hex64
            | NumberFormat::UInt16
            | NumberFormat::UInt32
            | NumberFormat::UInt64
            | NumberFormat::Int16
            | NumberFormat::Int32
            | NumberFormat::Int64
            | NumberFormat::Bool => return self.print(bits),
        };
        let text = match self {
            NumberFormat::Float32 | NumberFormat::Depth32 => format!("{:?}", value as f32),
            _ => format!("{value:?}"),
        };
        format!("{text} (0x{bits:0digits$x})")
    }
}

/// An integer with a radix prefix: `0x`, `0b`, `0o`, or a leading zero for octal.
pub(crate) fn integer(text: &str) -> Option<i128> {
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let prefixes = [("0x", 16), ("0X", 16), ("0b", 2), ("0B", 2), ("0o", 8), ("0O", 8)];
    let prefixed = prefixes.iter().find_map(|(it, radix)| Some((rest.strip_prefix(it)?, *radix)));
    let (digits, radix) = match prefixed {
        Some(it) => it,
        None if rest.len() > 1 && rest.starts_with('0') => (&rest[1..], 8),
        None => (rest, 10),
    };
    if digits.is_empty() || !digits.chars().all(|it| it.is_digit(radix)) {
        return None;
    }
    let value = i128::from_str_radix(digits, radix).ok()?;
    Some(if negative { -value } else { value })
}

fn float32(text: &str) -> Option<f32> {
    match special(text)? {
        Text::Nan { negative } => Some(f32::from_bits(0x7fc0_0000 | u32::from(negative) << 31)),
        Text::Hex { negative, mantissa, exponent } => {
            let bits = pack(mantissa, exponent, 24, -126, 127) as u32;
            Some(f32::from_bits(bits | u32::from(negative) << 31))
        }
        // Directly from decimal: going through a double could round twice.
        Text::Decimal => text.parse().ok(),
    }
}

fn float64(text: &str) -> Option<f64> {
    match special(text)? {
        Text::Nan { negative } => {
            Some(f64::from_bits(0x7ff8_0000_0000_0000 | u64::from(negative) << 63))
        }
        Text::Hex { negative, mantissa, exponent } => {
            let bits = pack(mantissa, exponent, 53, -1022, 1023);
            Some(f64::from_bits(bits | u64::from(negative) << 63))
        }
        Text::Decimal => text.parse().ok(),
    }
}

enum Text {
    Nan {
        negative: bool,
    },
    /// `mantissa` times two to the `exponent`; the lowest bit is sticky for dropped digits.
    Hex {
        negative: bool,
        mantissa: u64,
        exponent: i64,
    },
    Decimal,
}

fn special(text: &str) -> Option<Text> {
    let (negative, rest) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = rest.to_ascii_lowercase();
    if lower == "nan" || lower.starts_with("nan(") && lower.ends_with(')') {
        return Some(Text::Nan { negative });
    }
    let Some(hex) = lower.strip_prefix("0x") else {
        return Some(Text::Decimal);
    };
    let (digits, power) = hex.split_once('p').unwrap_or((hex, "0"));
    let power: i64 = power.parse().ok()?;
    let (mut mantissa, mut exponent, mut seen, mut is_fraction) = (0u64, 0i64, false, false);
    for digit in digits.chars() {
        if digit == '.' && !is_fraction {
            is_fraction = true;
            continue;
        }
        let value = u64::from(digit.to_digit(16)?);
        seen = true;
        if mantissa >> 58 == 0 {
            mantissa = mantissa << 4 | value;
            exponent -= if is_fraction { 4 } else { 0 };
        } else {
            mantissa |= u64::from(value != 0);
            exponent += if is_fraction { 0 } else { 4 };
        }
    }
    let exponent = exponent.saturating_add(power.clamp(-1 << 20, 1 << 20));
    seen.then_some(Text::Hex { negative, mantissa, exponent })
}

/// The bits of `mantissa` × 2^`exponent` in a format with the given precision, rounded to nearest, ties to even.
fn pack(mantissa: u64, exponent: i64, precision: i64, least: i64, most: i64) -> u64 {
    if mantissa == 0 {
        return 0;
    }
    let infinite = (((most + 1 - least) as u64) + 1) << (precision - 1);
    let length = 64 - i64::from(mantissa.leading_zeros());
    // The exponents of the leading bit, and of the last bit that is kept.
    let lead = exponent + length - 1;
    if lead > most {
        return infinite;
    }
    let last = lead.max(least) - (precision - 1);
    let drop = last - exponent;
    let kept = match drop {
        ..=0 => mantissa << -drop,
        1..=63 => {
            let (kept, rest) = (mantissa >> drop, mantissa & ((1 << drop) - 1));
            let half = 1u64 << (drop - 1);
            kept + u64::from(rest > half || rest == half && kept & 1 == 1)
        }
        64 => u64::from(mantissa > 1 << 63),
        _ => 0,
    };
    // A carry out of the mantissa increments the exponent, as the addition does by itself.
    let biased = (lead.max(least) - least) as u64;
    let hidden = 1u64 << (precision - 1);
    if kept < hidden { kept } else { (biased << (precision - 1)) + kept }
}

/// Like C's `%g`: six digits, without trailing zeros, with an exponent if small or large.
fn general(value: f64) -> String {
    if value.is_nan() {
        return if value.is_sign_negative() { "-nan".to_owned() } else { "nan".to_owned() };
    }
    if value.is_infinite() {
        return if value < 0.0 { "-inf".to_owned() } else { "inf".to_owned() };
    }
    let scientific = format!("{value:.5e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        return trim(&format!("{value:.decimals$}"));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}e{sign}{:02}", trim(digits), exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_a_radix_prefix_and_a_range() {
        for (format, text, bits) in [
            (NumberFormat::UInt32, "0x10", Some(16)),
            (NumberFormat::UInt32, "010", Some(8)),
            (NumberFormat::UInt32, "0b101", Some(5)),
            (NumberFormat::UInt32, "0O17", Some(15)),
            (NumberFormat::UInt32, "0", Some(0)),
            (NumberFormat::UInt32, "-1", None),
            (NumberFormat::UInt32, "08", None),
            (NumberFormat::UInt32, "1.0", None),
            (NumberFormat::UInt32, "+1", None),
            (NumberFormat::UInt32, "4294967296", None),
            (NumberFormat::Int16, "-32768", Some(0x8000)),
            (NumberFormat::Int16, "32768", None),
            (NumberFormat::Int64, "-1", Some(u64::MAX)),
            (NumberFormat::Hex8, "0xfF", Some(255)),
            (NumberFormat::Float16, "0x3C00", Some(0x3c00)),
            (NumberFormat::Float16, "1.0", None),
            (NumberFormat::Bool, "1", Some(1)),
            (NumberFormat::Bool, "true", None),
            (NumberFormat::UInt64, "18446744073709551615", Some(u64::MAX)),
        ] {
            assert_eq!(format.parse(text).ok(), bits, "{text} as {}", format.name());
        }
    }

    #[test]
    fn floats_are_parsed_like_strtof() {
        for (text, bits) in [
            ("1", Some(0x3f80_0000)),
            ("-0.0", Some(0x8000_0000)),
            ("nan", Some(0x7fc0_0000)),
            ("-NaN", Some(0xffc0_0000)),
            ("-inf", Some(0xff80_0000)),
            ("0x1.921fb6p+1", Some(0x4049_0fdb)),
            ("0x1p-149", Some(1)),
            ("0x1p-150", Some(0)),
            ("0x1.8p-150", Some(1)),
            ("0x1.fffffep+127", Some(0x7f7f_ffff)),
            ("0x1.ffffffp+127", Some(0x7f80_0000)),
            ("0x1.000001p0", Some(0x3f80_0000)),
            ("0x1.0000010000001p0", Some(0x3f80_0001)),
            ("0x1p+128", Some(0x7f80_0000)),
            ("-0x1.8p0", Some(0xbfc0_0000)),
            ("3e+38", Some(0x7f61_b1e6)),
            ("1e40", Some(0x7f80_0000)),
            ("", None),
            ("1x", None),
            ("0x", None),
        ] {
            assert_eq!(NumberFormat::Float32.parse(text).ok(), bits, "{text}");
        }
        assert_eq!(
            NumberFormat::Float64.parse("0x1.999999999999ap-4").ok(),
            Some(0.1f64.to_bits())
        );
        assert_eq!(NumberFormat::Float64.parse("0x0.0000000000001p-1022").ok(), Some(1));
    }

    #[test]
    fn floats_are_printed_with_six_digits() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.1, "0.1"),
            (123_456.0, "123456"),
            (1_234_567.0, "1.23457e+06"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (999_999.5, "1e+06"),
            (2.625_481_8, "2.62548"),
            (f64::INFINITY, "inf"),
            (-1.5e300, "-1.5e+300"),
        ] {
            assert_eq!(general(value), text);
        }
        assert_eq!(NumberFormat::Float16.print(0x3c00), "0x3C00");
        assert_eq!(NumberFormat::Int16.print(0xffff), "-1");
        assert_eq!(NumberFormat::Float32.show(0x3f80_0000), "1.0 (0x3f800000)");
    }
}
