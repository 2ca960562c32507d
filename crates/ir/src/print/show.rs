//! Numbers as a format prints them: what C's `printf` gives, for the bits of any scalar.
//!
//! Floats are converted to `double`, which is exact, and printed from all of its digits. A NaN prints as `nan`,
//! regardless of its sign and payload, which no operation promises.

use ops::{F16, Ty};

use super::format::{Conversion, FormatString, Piece, Style};

impl FormatString {
    /// The text for these scalars, with their types.
    pub fn text(&self, types: &[Ty], values: &[u64]) -> String {
        let mut out = String::new();
        let mut args = types.iter().zip(values);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out += text,
                Piece::Value(conversion) => {
                    let args = args.by_ref().take(conversion.components as usize);
                    for (i, (ty, bits)) in args.enumerate() {
                        if i > 0 {
                            out += ", ";
                        }
                        conversion.show(*ty, *bits, &mut out);
                    }
                }
            }
        }
        out
    }
}

impl Conversion {
    fn show(&self, ty: Ty, bits: u64, out: &mut String) {
        let float = match ty {
            Ty::F16 => f64::from(F16(bits as u16).to_f32()),
            Ty::F32 => f64::from(f32::from_bits(bits as u32)),
            Ty::F64 => f64::from_bits(bits),
            Ty::Bool | Ty::I16 | Ty::I32 | Ty::I64 => {
                let (prefix, digits) = self.integer(ty, bits);
                // A precision says how many digits there are, and zeros do not pad further.
                return self.pad(prefix, digits, self.zeros && self.precision.is_none(), out);
            }
        };
        let prefix = match float.is_sign_negative() && !float.is_nan() {
            true => "-".to_owned(),
            false => self.sign.map(String::from).unwrap_or_default(),
        };
        if !float.is_finite() {
            let name = if float.is_nan() { "nan" } else { "inf" };
            return self.pad(prefix, self.cased(name.to_owned()), false, out);
        }
        let (prefix, digits) = match self.style {
            Style::HexFloat { .. } => {
                (prefix + &self.cased("0x".to_owned()), self.hex(float.abs()))
            }
            _ => (prefix, self.decimal(float.abs())),
        };
        self.pad(prefix, self.cased(digits), self.zeros, out);
    }

    fn cased(&self, text: String) -> String {
        use Style::*;
        match self.style {
            Hex { upper: true }
            | Fixed { upper: true }
            | Exponent { upper: true }
            | Shortest { upper: true }
            | HexFloat { upper: true } => text.to_ascii_uppercase(),
            _ => text,
        }
    }

    /// Writes a number in its width; zeros go between the prefix and the digits.
    fn pad(&self, prefix: String, digits: String, zeros: bool, out: &mut String) {
        let missing = (self.width as usize).saturating_sub(prefix.len() + digits.len());
        let fill = |out: &mut String, with| out.extend(std::iter::repeat_n(with, missing));
        if !self.left && !zeros {
            fill(out, ' ');
        }
        *out += &prefix;
        if !self.left && zeros {
            fill(out, '0');
        }
        *out += &digits;
        if self.left {
            fill(out, ' ');
        }
    }

    /// Sign or base, and digits.
    fn integer(&self, ty: Ty, bits: u64) -> (String, String) {
        let size = match ty {
            Ty::Bool => 1,
            _ => 8 * ty.bytes(),
        };
        let unsigned = bits & (u64::MAX >> (64 - size));
        let mut prefix = String::new();
        let mut digits = match self.style {
            Style::Signed => {
                // A boolean is 0 or 1, not -1.
                let shift = if ty == Ty::Bool { 0 } else { 64 - size };
                let signed = (unsigned << shift) as i64 >> shift;
                match signed < 0 {
                    true => prefix.push('-'),
                    false => prefix.extend(self.sign),
                }
                signed.unsigned_abs().to_string()
            }
            Style::Octal => format!("{unsigned:o}"),
            Style::Hex { .. } => format!("{unsigned:x}"),
            _ => unsigned.to_string(),
        };
        let least = self.precision.unwrap_or(1) as usize;
        if least == 0 && unsigned == 0 {
            digits.clear();
        }
        if digits.len() < least {
            digits.insert_str(0, &"0".repeat(least - digits.len()));
        }
        match self.style {
            Style::Octal if self.alternate && !digits.starts_with('0') => digits.insert(0, '0'),
            Style::Hex { .. } if self.alternate && unsigned != 0 => prefix.push_str("0x"),
            _ => {}
        }
        (self.cased(prefix), self.cased(digits))
    }

    /// The decimal digits of a number that is not negative.
    fn decimal(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6) as usize;
        match self.style {
            Style::Exponent { .. } => self.scientific(value, precision),
            Style::Shortest { .. } => {
                let precision = precision.max(1);
                let scientific = format!("{value:.*e}", precision - 1);
                let exponent = scientific.split_once('e').and_then(|it| it.1.parse::<i64>().ok());
                let exponent = exponent.unwrap_or(0);
                let text = match (-4..precision as i64).contains(&exponent) {
                    true => self.fixed(value, (precision as i64 - 1 - exponent) as usize),
                    false => self.scientific(value, precision - 1),
                };
                if self.alternate { text } else { without_zeros(text) }
            }
            _ => self.fixed(value, precision),
        }
    }

    fn fixed(&self, value: f64, precision: usize) -> String {
        let point = if self.alternate && precision == 0 { "." } else { "" };
        format!("{value:.precision$}{point}")
    }

    fn scientific(&self, value: f64, precision: usize) -> String {
        let text = format!("{value:.precision$e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let point = if self.alternate && precision == 0 { "." } else { "" };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}{point}e{sign}{:02}", exponent.unsigned_abs())
    }

    /// The hexadecimal digits of a number that is not negative, without `0x`.
    fn hex(&self, value: f64) -> String {
        const DIGITS: u32 = 13;
        let bits = value.to_bits();
        let (biased, mut fraction) = ((bits >> 52) as i64, bits & ((1 << 52) - 1));
        let mut whole = u64::from(biased != 0);
        let exponent = match (biased, fraction) {
            (0, 0) => 0,
            (0, _) => -1022,
            _ => biased - 1023,
        };
        let mut digits = DIGITS;
        if let Some(precision) = self.precision.filter(|it| *it < DIGITS) {
            // Half to even.
            let cut = 4 * (DIGITS - precision);
            let all = whole << 52 | fraction;
            let (kept, lost) = (all >> cut, all & ((1 << cut) - 1));
            let half = 1 << (cut - 1);
            let kept = kept + u64::from(lost > half || lost == half && kept & 1 == 1);
            digits = precision;
            whole = kept >> (4 * digits);
            fraction = kept & ((1u64 << (4 * digits)) - 1);
        }
        let mut text = match digits {
            0 => String::new(),
            _ => format!("{fraction:0width$x}", width = digits as usize),
        };
        match self.precision {
            Some(precision) => text.extend(std::iter::repeat_n('0', (precision - digits) as usize)),
            None => text.truncate(text.trim_end_matches('0').len()),
        }
        let point = if text.is_empty() && !self.alternate { "" } else { "." };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{whole}{point}{text}p{sign}{}", exponent.unsigned_abs())
    }
}

/// Without the zeros at the end of a fraction.
fn without_zeros(text: String) -> String {
    let (digits, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let digits = match digits.contains('.') {
        true => digits.trim_end_matches('0').trim_end_matches('.'),
        false => digits,
    };
    format!("{digits}{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(format: &str, ty: Ty, bits: u64) -> String {
        FormatString::parse(format).unwrap().text(&[ty; 4], &[bits; 4])
    }

    /// What a C library prints for the same.
    #[test]
    fn integers_print_as_in_c() {
        let minus = u64::from(-5i32 as u32);
        let cases = [
            ("%d", "-5"),
            ("%u", "4294967291"),
            ("%x", "fffffffb"),
            ("%X", "FFFFFFFB"),
            ("%#x", "0xfffffffb"),
            ("%#X", "0XFFFFFFFB"),
            ("%o", "37777777773"),
            ("%5d|", "   -5|"),
            ("%-5d|", "-5   |"),
            ("%05d", "-0005"),
            ("%.3d", "-005"),
            ("%07.3d", "   -005"),
            ("%v2d", "-5, -5"),
        ];
        for (format, expected) in cases {
            assert_eq!(show(format, Ty::I32, minus), expected, "{format}");
        }
        assert_eq!(show("%+d % d %#o", Ty::I32, 8), "+8  8 010");
        assert_eq!(show("%.0d|%#x|%#o", Ty::I32, 0), "|0|0");
        assert_eq!(show("%d %u %x", Ty::I16, 0xffff), "-1 65535 ffff");
        assert_eq!(show("%d %u", Ty::Bool, 1), "1 1");
        assert_eq!(
            show("%ld %lu %ul", Ty::I64, u64::MAX),
            "-1 18446744073709551615 ffffffffffffffff"
        );
        assert_eq!(show("%ld", Ty::I64, 1 << 63), "-9223372036854775808");
    }

    #[test]
    fn floats_print_as_in_c() {
        let cases: [(&str, f64, &str); 34] = [
            ("%f", 1.5, "1.500000"),
            ("%.0f", 2.5, "2"),
            ("%#.0f", 3.0, "3."),
            ("%8.2f|", -1.0, "   -1.00|"),
            ("%08.2f", -1.0, "-0001.00"),
            ("%-8.2f|", 1.0, "1.00    |"),
            ("%+f", 0.0, "+0.000000"),
            ("%f", -0.0, "-0.000000"),
            ("%e", 0.0, "0.000000e+00"),
            ("%e", 12345.678, "1.234568e+04"),
            ("%.0e", 1e-5, "1e-05"),
            ("%E", 1e100, "1.000000E+100"),
            ("%g", 100000.0, "100000"),
            ("%g", 1000000.0, "1e+06"),
            ("%g", 0.0001, "0.0001"),
            ("%g", 0.00001, "1e-05"),
            ("%g", 0.5, "0.5"),
            ("%#g", 0.5, "0.500000"),
            ("%.3g", 1234.5, "1.23e+03"),
            ("%g", 0.0, "0"),
            ("%G", 1e-10, "1E-10"),
            ("%a", 1.0, "0x1p+0"),
            ("%a", 0.1, "0x1.999999999999ap-4"),
            ("%.2a", 0.1, "0x1.9ap-4"),
            ("%.0a", 1.5, "0x2p+0"),
            ("%.15a", 1.5, "0x1.800000000000000p+0"),
            ("%A", -255.0, "-0X1.FEP+7"),
            ("%a", 0.0, "0x0p+0"),
            ("%a", 5e-324, "0x0.0000000000001p-1022"),
            ("%010a", 1.0, "0x00001p+0"),
            ("%f", f64::INFINITY, "inf"),
            ("%08f", f64::NEG_INFINITY, "    -inf"),
            ("%F", f64::NAN, "NAN"),
            ("%g", -f64::NAN, "nan"),
        ];
        for (format, value, expected) in cases {
            assert_eq!(show(format, Ty::F64, value.to_bits()), expected, "{format} {value}");
        }
        assert_eq!(show("%f", Ty::F32, 0.1f32.to_bits().into()), "0.100000");
        assert_eq!(show("%.10f", Ty::F32, 0.1f32.to_bits().into()), "0.1000000015");
        assert_eq!(show("%.1v3f", Ty::F16, 0x3c00), "1.0, 1.0, 1.0");
    }
}
