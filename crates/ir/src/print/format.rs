//! The grammar of format strings: C's `printf` without strings, with the vectors of Vulkan's debug printf.
//!
//! A conversion is `%`, flags, a width, `.` and a precision, for a vector `v2`, `v3` or `v4`, and what to print:
//! `d i u o x X` for integers, with `l` in front for those of 64 bits, and `f F e E g G a A` for floats of any size.
//! `ul` is another spelling of `lx`. `%%` is a percent sign. Booleans print as integers, 0 or 1.
//!
//! Deliberately absent: `%n`, strings, characters and pointers, which shaders do not have; `*`, because a width that a
//! lane computes would make the length of a line depend on data.

use std::fmt;
use std::ops::Range;

use ops::Ty;

/// The longest format, in bytes.
pub const MOST_BYTES: usize = 4096;
/// The most scalars that one format prints.
pub const MOST_SCALARS: usize = 64;
/// The largest width and precision.
pub(super) const MOST_WIDTH: u32 = 256;

/// A format string, parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatString {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    Value(Conversion),
}

/// How one argument is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// Its place in the format.
    pub at: Range<usize>,
    /// `-`: pads on the right.
    pub left: bool,
    /// `+`, or a space: the prefix of numbers that are not negative.
    pub sign: Option<char>,
    /// `#`
    pub alternate: bool,
    /// `0`: pads with zeros.
    pub zeros: bool,
    pub width: u32,
    pub precision: Option<u32>,
    /// 1 for a scalar.
    pub components: u32,
    /// Takes 64 bits.
    pub long: bool,
    pub style: Style,
}

/// What a conversion makes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Signed,
    Unsigned,
    Octal,
    Hex { upper: bool },
    Fixed { upper: bool },
    Exponent { upper: bool },
    Shortest { upper: bool },
    HexFloat { upper: bool },
}

/// What is wrong with a format, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    pub at: Range<usize>,
    pub message: String,
    /// The remedy, if there is one.
    pub help: Option<String>,
}

impl fmt::Display for FormatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for FormatError {}

impl Style {
    pub fn is_float(self) -> bool {
        use Style::*;
        match self {
            Signed | Unsigned | Octal | Hex { .. } => false,
            Fixed { .. } | Exponent { .. } | Shortest { .. } | HexFloat { .. } => true,
        }
    }
}

impl Conversion {
    /// Whether it prints scalars of that type.
    pub fn takes(&self, ty: Ty) -> bool {
        match ty {
            Ty::F16 | Ty::F32 | Ty::F64 => self.style.is_float(),
            Ty::I64 => !self.style.is_float() && self.long,
            Ty::Bool | Ty::I16 | Ty::I32 => !self.style.is_float() && !self.long,
        }
    }
}

impl FormatString {
    /// Reads a format string.
    pub fn parse(text: &str) -> Result<FormatString, FormatError> {
        if text.len() > MOST_BYTES {
            return Err(FormatError {
                at: 0..text.len(),
                message: format!("a format of {} bytes is too long", text.len()),
                help: Some(format!("at most {MOST_BYTES} bytes are printed at once")),
            });
        }
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut scalars = 0;
        let mut rest = text;
        while let Some(start) = rest.find('%') {
            plain += &rest[..start];
            let at = text.len() - rest.len() + start;
            if rest[start + 1..].starts_with('%') {
                plain.push('%');
                rest = &rest[start + 2..];
                continue;
            }
            let conversion = conversion(text, at)?;
            rest = &text[conversion.at.end..];
            scalars += conversion.components as usize;
            if scalars > MOST_SCALARS {
                return Err(FormatError {
                    at: conversion.at,
                    message: format!("a format prints at most {MOST_SCALARS} numbers"),
                    help: Some("print the rest in another line".to_owned()),
                });
            }
            if !plain.is_empty() {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
            }
            pieces.push(Piece::Value(conversion));
        }
        plain += rest;
        if !plain.is_empty() {
            pieces.push(Piece::Text(plain));
        }
        Ok(FormatString { pieces })
    }

    /// What prints the arguments, in order.
    pub fn conversions(&self) -> impl Iterator<Item = &Conversion> {
        self.pieces.iter().filter_map(|it| match it {
            Piece::Value(conversion) => Some(conversion),
            Piece::Text(_) => None,
        })
    }
}

/// A text as a format that prints it as it is.
pub fn quoted(text: &str) -> String {
    text.replace('%', "%%")
}

/// The conversion that starts with the `%` at that byte.
fn conversion(text: &str, start: usize) -> Result<Conversion, FormatError> {
    let mut it = Conversion {
        at: start..start,
        left: false,
        sign: None,
        alternate: false,
        zeros: false,
        width: 0,
        precision: None,
        components: 1,
        long: false,
        style: Style::Signed,
    };
    let mut at = start + 1;
    let peek = |at: usize| text.as_bytes().get(at).copied().unwrap_or(0);
    let wrong = |at: usize, message: String, help: &str| {
        // The character that is wrong belongs to what is shown, whole.
        let end = text[at.min(text.len())..].chars().next().map_or(at, |it| at + it.len_utf8());
        let help = (!help.is_empty()).then(|| help.to_owned());
        Err(FormatError { at: start..end, message, help })
    };
    loop {
        match peek(at) {
            b'-' => it.left = true,
            b'+' => it.sign = Some('+'),
            b' ' => it.sign = it.sign.or(Some(' ')),
            b'#' => it.alternate = true,
            b'0' => it.zeros = true,
            _ => break,
        }
        at += 1;
    }
    let digits = |at: &mut usize| {
        let mut number = None;
        while let digit @ b'0'..=b'9' = peek(*at) {
            let digit = u32::from(digit - b'0');
            number = Some(number.unwrap_or(0u32).saturating_mul(10).saturating_add(digit));
            *at += 1;
        }
        number
    };
    it.width = digits(&mut at).unwrap_or(0);
    let mut star = peek(at) == b'*';
    if !star && peek(at) == b'.' {
        at += 1;
        it.precision = Some(digits(&mut at).unwrap_or(0));
        star = peek(at) == b'*';
    }
    if star {
        let message = "a width or a precision cannot be an argument".to_owned();
        return wrong(at, message, "write the number instead of `*`");
    }
    if it.width.max(it.precision.unwrap_or(0)) > MOST_WIDTH {
        let message = format!("a width or a precision is at most {MOST_WIDTH}");
        return wrong(at - 1, message, "");
    }
    if peek(at) == b'v' {
        let number = peek(at + 1);
        if !(b'2'..=b'4').contains(&number) {
            let message = "a vector conversion is `%v2`, `%v3` or `%v4` with a letter".to_owned();
            return wrong(at + 1, message, "for example `%v3f` for a `float3`");
        }
        it.components = u32::from(number - b'0');
        at += 2;
    }
    while peek(at) == b'l' {
        it.long = true;
        at += 1;
        if at - start > MOST_WIDTH as usize {
            break;
        }
    }
    let upper = peek(at).is_ascii_uppercase();
    it.style = match peek(at) {
        b'd' | b'i' => Style::Signed,
        // Vulkan's other name of `lx`.
        b'u' if !it.long && peek(at + 1) == b'l' => {
            at += 1;
            it.long = true;
            Style::Hex { upper: false }
        }
        b'u' => Style::Unsigned,
        b'o' => Style::Octal,
        b'x' | b'X' => Style::Hex { upper },
        b'f' | b'F' => Style::Fixed { upper },
        b'e' | b'E' => Style::Exponent { upper },
        b'g' | b'G' => Style::Shortest { upper },
        b'a' | b'A' => Style::HexFloat { upper },
        b's' | b'c' => {
            let what = if peek(at) == b's' { "strings" } else { "characters" };
            let message = format!("`{}`: a shader has no {what} to print", &text[start..=at]);
            return wrong(at, message, "print numbers, for example with `%d`");
        }
        b'n' => {
            let message = "`%n` writes to memory, and a format only prints".to_owned();
            return wrong(at, message, "write `%%n` for the text `%n`");
        }
        b'h' | b'j' | b'z' | b't' | b'L' | b'q' => {
            let message = format!("`{}` is not a length that shaders have", char::from(peek(at)));
            return wrong(at, message, "only `l` is, for 64-bit integers: `%ld`, `%lu`, `%lx`");
        }
        0 => {
            let message = "the format ends within a conversion".to_owned();
            return wrong(at, message, "write `%%` for a percent sign");
        }
        _ => {
            let letter = text[at..].chars().next().unwrap_or('%');
            let message = format!("`{}{letter}` is not a conversion", &text[start..at]);
            return wrong(at, message, "write `%%` for a percent sign");
        }
    };
    if it.long && it.style.is_float() {
        let message = format!("`{}` has an `l`, and floats have none", &text[start..=at]);
        return wrong(at, message, "`%f`, `%e`, `%g` and `%a` print floats of every size");
    }
    it.at = start..at + 1;
    Ok(it)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        match FormatString::parse(text) {
            Ok(format) => panic!("{text}: {format:?}"),
            Err(error) => format!("{} {}", &text[error.at], error.message),
        }
    }

    #[test]
    fn conversions_are_read() {
        let format = FormatString::parse("a%%b%-+#08.3v4lx%ul|%d").unwrap();
        let all: Vec<&Conversion> = format.conversions().collect();
        assert_eq!(format.pieces[0], Piece::Text("a%b".to_owned()));
        let first = all[0];
        assert!(first.left && first.alternate && first.zeros && first.long);
        assert_eq!((first.sign, first.width, first.precision), (Some('+'), 8, Some(3)));
        assert_eq!((first.components, first.style), (4, Style::Hex { upper: false }));
        assert_eq!((all[1].long, all[1].style), (true, Style::Hex { upper: false }));
        assert!(all[2].takes(Ty::Bool) && all[2].takes(Ty::I16) && !all[2].takes(Ty::I64));
        assert!(!all[2].takes(Ty::F32) && all[0].takes(Ty::I64));
    }

    #[test]
    fn mistakes_are_reported() {
        assert_eq!(error("a %s"), "%s `%s`: a shader has no strings to print");
        assert!(error("%n").starts_with("%n `%n` writes to memory"));
        assert!(error("100%").starts_with("% the format ends within a conversion"));
        assert_eq!(error("%5é"), "%5é `%5é` is not a conversion");
        assert!(error("%*d").starts_with("%* a width"));
        assert!(error("%.*f").starts_with("%.* a width"));
        assert!(error("%v5f").starts_with("%v5 a vector"));
        assert!(error("%vf").starts_with("%vf a vector"));
        assert!(error("%lf").starts_with("%lf `%lf` has an `l`"));
        assert!(error("%hd").starts_with("%h `h` is not a length"));
        assert!(error("%99999999999d").contains("at most 256"));
        assert!(error(&"%d".repeat(65)).contains("at most 64 numbers"));
        assert!(error(&"x".repeat(1 << 20)).contains("too long"));
    }

    #[test]
    fn quoted_text_prints_as_it_is() {
        let format = FormatString::parse(&quoted("100% %d %n")).unwrap();
        assert_eq!(format.pieces, [Piece::Text("100% %d %n".to_owned())]);
    }
}
