//! Conversions of numbers between text and memory: parses and prints the bits of a scalar.

use ops::F16;

use crate::Scalar;

/// A number from a file, before conversion to its target type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i128),
    Float(f64),
}

/// Parses a word of the user to the bits of a scalar.
///
/// Integers may be decimal, hexadecimal or binary; for an unsigned type -1 is its largest value, and for a signed type
/// the hexadecimal patterns of negative numbers are taken too.
pub fn parse(word: &str, scalar: Scalar) -> Result<u64, String> {
    let word = word.trim();
    let fail = || format!("`{word}` is not a valid {}", scalar.name());
    if word.is_empty() {
        return Err("a number is missing between two commas or at an end".to_owned());
    }
    if let Some(int) = integer(word) {
        return convert(Number::Int(int), scalar);
    }
    let digits = match word.strip_suffix(['f', 'F', 'h', 'H']) {
        Some(digits) if digits.ends_with(|it: char| it.is_ascii_digit() || it == '.') => digits,
        _ => word,
    };
    match scalar {
        // Directly from the text: via f64, a number could be rounded twice.
        Scalar::F32 => digits.parse().map(|it: f32| u64::from(it.to_bits())).map_err(|_| fail()),
        Scalar::F16 | Scalar::F64 => {
            convert(Number::Float(digits.parse().map_err(|_| fail())?), scalar)
        }
        Scalar::Bool
        | Scalar::I8
        | Scalar::U8
        | Scalar::I16
        | Scalar::U16
        | Scalar::I32
        | Scalar::U32
        | Scalar::I64
        | Scalar::U64 => Err(fail()),
    }
}

/// The bits of a scalar that has that value.
pub fn convert(number: Number, scalar: Scalar) -> Result<u64, String> {
    let bits = match (scalar, number) {
        (Scalar::F16, Number::Float(it)) => u64::from(F16::from_f64(it).0),
        (Scalar::F16, Number::Int(it)) => u64::from(F16::from_f64(it as f64).0),
        (Scalar::F32, Number::Float(it)) => u64::from((it as f32).to_bits()),
        (Scalar::F32, Number::Int(it)) => u64::from((it as f32).to_bits()),
        (Scalar::F64, Number::Float(it)) => it.to_bits(),
        (Scalar::F64, Number::Int(it)) => (it as f64).to_bits(),
        (Scalar::Bool, Number::Int(it)) => u64::from(it != 0),
        (
            Scalar::I8
            | Scalar::U8
            | Scalar::I16
            | Scalar::U16
            | Scalar::I32
            | Scalar::U32
            | Scalar::I64
            | Scalar::U64,
            Number::Int(it),
        ) => {
            let bits = 8 * scalar.bytes();
            if it < -(1 << (bits - 1)) || it >= 1 << bits {
                return Err(format!("{it} does not fit in {}", scalar.name()));
            }
            it as u64 & (u64::MAX >> (64 - bits))
        }
        (_, Number::Float(it)) => {
            // A float without a fraction counts as an integer.
            if it.fract() == 0.0 && it.abs() < 18_446_744_073_709_551_616.0 {
                return convert(Number::Int(it as i128), scalar);
            }
            return Err(format!("{it} is not a valid {}", scalar.name()));
        }
    };
    Ok(bits)
}

fn integer(word: &str) -> Option<i128> {
    match word {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let lower = digits.to_ascii_lowercase();
    let lower = lower.trim_end_matches(['u', 'l']);
    let (radix, digits) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
        (Some(hex), _) => (16, hex),
        (None, Some(binary)) => (2, binary),
        (None, None) => (10, lower),
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let value = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    Some(if negative { -value } else { value })
}

/// The bits of a scalar in memory.
pub fn read(bytes: &[u8], scalar: Scalar) -> u64 {
    let mut eight = [0; 8];
    eight[..scalar.bytes()].copy_from_slice(&bytes[..scalar.bytes()]);
    u64::from_le_bytes(eight)
}

pub fn write(bits: u64, scalar: Scalar, to: &mut [u8]) {
    to[..scalar.bytes()].copy_from_slice(&bits.to_le_bytes()[..scalar.bytes()]);
}

/// The shortest text that parses to the same bits.
pub fn text(bits: u64, scalar: Scalar) -> String {
    let shown = exact(bits, scalar);
    shown.strip_suffix(".0").map(str::to_owned).unwrap_or(shown)
}

/// For JSON: NaN and infinities are strings, booleans are numbers as in memory.
pub fn json(bits: u64, scalar: Scalar) -> String {
    match exact(bits, scalar) {
        it if it == "NaN" => "\"NaN\"".to_owned(),
        it if it == "inf" => "\"Infinity\"".to_owned(),
        it if it == "-inf" => "\"-Infinity\"".to_owned(),
        it => it,
    }
}

fn exact(bits: u64, scalar: Scalar) -> String {
    match scalar {
        Scalar::Bool | Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => bits.to_string(),
        Scalar::I8 => (bits as i8).to_string(),
        Scalar::I16 => (bits as i16).to_string(),
        Scalar::I32 => (bits as i32).to_string(),
        Scalar::I64 => (bits as i64).to_string(),
        Scalar::F16 => half(F16(bits as u16)),
        Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Scalar::F64 => format!("{:?}", f64::from_bits(bits)),
    }
}

/// The number with the fewest digits that rounds to this half; an integer with all of its few digits.
fn half(value: F16) -> String {
    let exact = f64::from(value.to_f32());
    if exact.fract() == 0.0 {
        return format!("{exact:?}");
    }
    let digits = (0..5).map(|digits| format!("{exact:.digits$e}"));
    let shortest =
        digits.filter_map(|it| it.parse::<f64>().ok()).find(|it| F16::from_f64(*it).0 == value.0);
    format!("{:?}", shortest.unwrap_or(exact))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_bits() {
        for (word, scalar, bits) in [
            ("7", Scalar::U32, 7),
            ("-1", Scalar::U32, 0xffff_ffff),
            ("0xffffffff", Scalar::I32, 0xffff_ffff),
            ("0b101", Scalar::U8, 5),
            ("18446744073709551615", Scalar::U64, u64::MAX),
            ("-9223372036854775808", Scalar::I64, 1 << 63),
            (" 1_000u", Scalar::U16, 1000),
            ("true", Scalar::Bool, 1),
            ("2", Scalar::Bool, 1),
            ("1", Scalar::F32, 0x3f80_0000),
            ("-0.0", Scalar::F32, 0x8000_0000),
            ("1.5f", Scalar::F32, 0x3fc0_0000),
            ("-inf", Scalar::F32, 0xff80_0000),
            ("0.1", Scalar::F64, 0x3fb9_9999_9999_999a),
        ] {
            assert_eq!(parse(word, scalar), Ok(bits), "{word}");
        }
    }

    #[test]
    fn words_that_are_not_such_numbers_are_refused() {
        for (word, scalar, message) in [
            ("256", Scalar::U8, "256 does not fit in u8"),
            ("-129", Scalar::I8, "-129 does not fit in i8"),
            ("1.5", Scalar::U32, "`1.5` is not a valid u32"),
            ("x", Scalar::F32, "`x` is not a valid f32"),
            ("--1", Scalar::I32, "`--1` is not a valid i32"),
            ("", Scalar::I32, "a number is missing between two commas or at an end"),
            ("999999999999999999999999999999999999999999", Scalar::U64, "is not a valid u64"),
        ] {
            let got = parse(word, scalar).unwrap_err();
            assert!(got.contains(message), "{word}: {got}");
        }
        assert!(convert(Number::Float(1.5), Scalar::I32).is_err());
        assert_eq!(convert(Number::Float(3.0), Scalar::I32), Ok(3));
    }

    #[test]
    fn numbers_are_shown_as_short_as_they_can_be() {
        assert_eq!(text(u64::from(0.1f32.to_bits()), Scalar::F32), "0.1");
        assert_eq!(text(u64::from(3f32.to_bits()), Scalar::F32), "3");
        assert_eq!(text(u64::from((-0f32).to_bits()), Scalar::F32), "-0");
        assert_eq!(text(u64::from(f32::MAX.to_bits()), Scalar::F32), "3.4028235e38");
        assert_eq!(text(0xffff_ffff, Scalar::I32), "-1");
        assert_eq!(json(u64::from(f32::NAN.to_bits()), Scalar::F32), "\"NaN\"");
        assert_eq!(json(f64::NEG_INFINITY.to_bits(), Scalar::F64), "\"-Infinity\"");
        assert_eq!(json(u64::MAX, Scalar::U64), "18446744073709551615");
    }
}
