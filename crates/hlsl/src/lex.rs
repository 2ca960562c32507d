//! The lexer: text to tokens, one at a time; and the values of literals.
//!
//! The lexer knows no directives and reports no errors: a malformed token has a kind that says so, so that
//! text under `#if 0` can hold anything. Line continuations and comments are white space here.

use std::borrow::Cow;

use diag::Span;

use crate::ast::{FloatLiteral, FloatSuffix, IntLiteral};
use crate::token::{Flags, Names, Punct, Symbol, Token, TokenKind};

/// A read position in a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    /// The next byte to read.
    pub(crate) pos: usize,
    /// Only white space precedes it on its line.
    pub(crate) line_start: bool,
}

impl Cursor {
    pub(crate) fn start(text: &str) -> Cursor {
        let bom = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { pos: bom, line_start: true }
    }
}

/// Reads the next token of a text whose first byte has position `base` in the common space.
pub(crate) fn next(text: &str, cursor: &mut Cursor, base: u32, names: &mut Names) -> Token {
    let bytes = text.as_bytes();
    let before = cursor.pos;
    let closed = skip_blank(bytes, cursor);
    let mut flags = Flags::default();
    if cursor.pos > before {
        flags = flags.with(Flags::SPACE);
    }
    if cursor.line_start {
        flags = flags.with(Flags::LINE_START);
    }
    cursor.line_start = false;
    let start = cursor.pos;
    let mut token = |kind, symbol, end: usize| {
        cursor.pos = end;
        Token { kind, flags, symbol, span: Span::new(base + start as u32, base + end as u32) }
    };
    if !closed {
        return token(TokenKind::UnclosedComment, Names::EMPTY, bytes.len());
    }
    let Some(&first) = bytes.get(start) else {
        return token(TokenKind::Eof, Names::EMPTY, start);
    };
    if is_ident_start(first) {
        let (symbol, end) = spell(text, start, names, ident_end);
        return token(TokenKind::Ident, symbol, end);
    }
    if first.is_ascii_digit()
        || first == b'.' && bytes.get(start + 1).is_some_and(u8::is_ascii_digit)
    {
        let (symbol, end) = spell(text, start, names, number_end);
        return token(TokenKind::Number, symbol, end);
    }
    if first == b'"' || first == b'\'' {
        let (closed, end) = quoted_end(bytes, start);
        let spelling = &text[start..end];
        let symbol = match spelling.contains('\\') {
            true => names.intern(&unspliced(spelling)),
            false => names.intern(spelling),
        };
        let kind = match (first, closed) {
            (b'"', true) => TokenKind::String,
            (b'"', false) => TokenKind::UnclosedString,
            (_, true) => TokenKind::Char,
            (_, false) => TokenKind::UnclosedChar,
        };
        return token(kind, symbol, end);
    }
    if let Some((punct, end)) = punct_at(bytes, start) {
        return token(TokenKind::Punct(punct), Names::EMPTY, end);
    }
    let len = text[start..].chars().next().map_or(1, char::len_utf8);
    let symbol = names.intern(&text[start..start + len]);
    token(TokenKind::Stray, symbol, start + len)
}

/// Whether the next token is `(`, on this line or a later one.
pub(crate) fn at_paren(text: &str, mut cursor: Cursor) -> bool {
    skip_blank(text.as_bytes(), &mut cursor) && text.as_bytes().get(cursor.pos) == Some(&b'(')
}

/// Moves past the end of the current line, looking only at comments and strings.
/// Returns `false` if a comment is open at the end of the text.
pub(crate) fn skip_line(text: &str, cursor: &mut Cursor) -> bool {
    let bytes = text.as_bytes();
    let mut pos = cursor.pos;
    cursor.line_start = true;
    while let Some(&byte) = bytes.get(pos) {
        pos = match byte {
            b'\n' => {
                cursor.pos = pos + 1;
                return true;
            }
            b'\\' => pos + splice(bytes, pos).max(1),
            b'/' => {
                let second = skip_splices(bytes, pos + 1);
                match bytes.get(second) {
                    Some(b'/') => line_end(bytes, pos),
                    Some(b'*') => match comment_end(bytes, second + 1) {
                        Some(end) => end,
                        None => {
                            cursor.pos = bytes.len();
                            return false;
                        }
                    },
                    _ => pos + 1,
                }
            }
            // An apostrophe in skipped text is more likely prose than a character.
            b'"' => quoted_end(bytes, pos).1,
            _ => pos + 1,
        };
    }
    cursor.pos = bytes.len();
    true
}

fn is_ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_ident_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Skips white space, comments and continuations; returns `false` if a comment is unterminated.
pub(crate) fn skip_blank(bytes: &[u8], cursor: &mut Cursor) -> bool {
    while let Some(&byte) = bytes.get(cursor.pos) {
        match byte {
            b'\n' => {
                cursor.line_start = true;
                cursor.pos += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => cursor.pos += 1,
            b'\\' => match splice(bytes, cursor.pos) {
                0 => return true,
                len => cursor.pos += len,
            },
            b'/' => {
                let second = skip_splices(bytes, cursor.pos + 1);
                match bytes.get(second) {
                    Some(b'/') => cursor.pos = line_end(bytes, cursor.pos),
                    Some(b'*') => match comment_end(bytes, second + 1) {
                        Some(end) => cursor.pos = end,
                        None => return false,
                    },
                    _ => return true,
                }
            }
            _ => return true,
        }
    }
    true
}

/// The length of a line continuation at `pos`; 0 if there is none. White space may follow the backslash.
fn splice(bytes: &[u8], pos: usize) -> usize {
    if bytes.get(pos) != Some(&b'\\') {
        return 0;
    }
    let blank =
        bytes[pos + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
    if bytes.get(pos + 1 + blank) == Some(&b'\n') { blank + 2 } else { 0 }
}

/// The end of the line that holds `pos` (its newline), following continuations.
fn line_end(bytes: &[u8], mut pos: usize) -> usize {
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'\n' => return pos,
            b'\\' => pos += splice(bytes, pos).max(1),
            _ => pos += 1,
        }
    }
    pos
}

/// The position after the `*/` of the comment whose text starts at `pos`.
fn comment_end(bytes: &[u8], mut pos: usize) -> Option<usize> {
    loop {
        pos += bytes.get(pos..)?.iter().position(|byte| *byte == b'*')? + 1;
        let last = skip_splices(bytes, pos);
        if bytes.get(last) == Some(&b'/') {
            return Some(last + 1);
        }
    }
}

/// The first position from `pos` on that is not in a line continuation.
fn skip_splices(bytes: &[u8], mut pos: usize) -> usize {
    loop {
        match splice(bytes, pos) {
            0 => return pos,
            len => pos += len,
        }
    }
}

/// The position after the closing quote, or the end of the line if there is none.
fn quoted_end(bytes: &[u8], start: usize) -> (bool, usize) {
    let quote = bytes[start];
    let mut pos = start + 1;
    while let Some(&byte) = bytes.get(pos) {
        match byte {
            b'\n' | b'\r' => return (false, pos),
            b'\\' => {
                let len = splice(bytes, pos);
                // After a backslash a quote is an ordinary character.
                let escapes = usize::from(matches!(bytes.get(pos + 1), Some(b'"' | b'\'' | b'\\')));
                pos += if len > 0 { len } else { 1 + escapes };
            }
            _ if byte == quote => return (true, pos + 1),
            _ => pos += 1,
        }
    }
    (false, pos)
}

/// Interns the run of bytes that `end_of` finds, joined across continuations.
fn spell(
    text: &str,
    start: usize,
    names: &mut Names,
    end_of: fn(&[u8], usize) -> usize,
) -> (Symbol, usize) {
    let bytes = text.as_bytes();
    let end = end_of(bytes, start);
    if splice(bytes, end) == 0 {
        return (names.intern(&text[start..end]), end);
    }
    let line = Despliced::from(bytes, start);
    let end = end_of(&line.bytes, 0);
    let spelling = std::str::from_utf8(&line.bytes[..end]).unwrap_or("");
    // Invariant: a token has at least one byte.
    (names.intern(spelling), line.positions[end - 1] + 1)
}

/// The rest of a logical line, with the continuations removed.
struct Despliced {
    bytes: Vec<u8>,
    /// The position of each byte in the text.
    positions: Vec<usize>,
}

impl Despliced {
    /// Longer tokens are cut there: no real program continues a line inside such a token.
    const LONGEST: usize = 1 << 9;

    fn from(text: &[u8], start: usize) -> Despliced {
        let mut line = Despliced { bytes: Vec::new(), positions: Vec::new() };
        let mut pos = skip_splices(text, start);
        while let Some(&byte) = text.get(pos) {
            // Names and numbers are ASCII.
            if !(b'!'..=b'~').contains(&byte) || line.bytes.len() == Despliced::LONGEST {
                break;
            }
            line.bytes.push(byte);
            line.positions.push(pos);
            pos = skip_splices(text, pos + 1);
        }
        line
    }
}

/// The punctuator at `start`, continuations removed, and its end.
fn punct_at(bytes: &[u8], start: usize) -> Option<(Punct, usize)> {
    let is_split = bytes[start + 1..].iter().take(2).any(|byte| *byte == b'\\');
    if !is_split {
        return punct(&bytes[start..]).map(|(punct, len)| (punct, start + len));
    }
    // Invariant: no continuation at `start`; it is skipped with the white space before a token.
    let first = start;
    let second = skip_splices(bytes, first + 1);
    let third = skip_splices(bytes, second + 1);
    let positions = [first, second, third];
    let window = positions.map(|it| bytes.get(it).copied().unwrap_or(0));
    punct(&window).map(|(punct, len)| (punct, positions[len - 1] + 1))
}

/// A quoted spelling without its continuations.
fn unspliced(spelling: &str) -> String {
    let bytes = spelling.as_bytes();
    let mut out = String::with_capacity(spelling.len());
    let mut from = 0;
    let mut pos = 0;
    while pos < bytes.len() {
        match splice(bytes, pos) {
            0 => pos += 1,
            len => {
                out.push_str(&spelling[from..pos]);
                pos += len;
                from = pos;
            }
        }
    }
    out.push_str(&spelling[from..]);
    out
}

fn ident_end(bytes: &[u8], start: usize) -> usize {
    start + bytes[start..].iter().take_while(|byte| is_ident_byte(**byte)).count()
}

/// The end of a number: C's rule, except that a swizzle (`1.xxx`, `0.5f.xx`) is not part of it, that
/// hexadecimal digits take no sign (`0xE-1` is a difference), and that `1.#INF` is.
fn number_end(bytes: &[u8], start: usize) -> usize {
    let hex = bytes[start] == b'0' && matches!(bytes.get(start + 1), Some(b'x' | b'X'));
    let mut pos = start;
    while let Some(&byte) = bytes.get(pos) {
        let following = bytes.get(pos + 1).copied().unwrap_or(b' ');
        match byte {
            b'.' => match following {
                b'#' if bytes[pos + 2..].first().is_some_and(u8::is_ascii_uppercase) => {
                    return ident_end(bytes, pos + 2);
                }
                b'e' | b'E' | b'f' | b'F' | b'h' | b'H' | b'l' | b'L' => pos += 1,
                b'p' | b'P' if hex => pos += 1,
                _ if is_ident_start(following) => return pos,
                _ => pos += 1,
            },
            b'e' | b'E' if !hex && matches!(following, b'+' | b'-') => pos += 2,
            b'p' | b'P' if hex && matches!(following, b'+' | b'-') => pos += 2,
            _ if is_ident_byte(byte) => pos += 1,
            _ => return pos,
        }
    }
    pos
}

fn punct(bytes: &[u8]) -> Option<(Punct, usize)> {
    use Punct::*;
    let second = bytes.get(1).copied().unwrap_or(0);
    let third = bytes.get(2).copied().unwrap_or(0);
    let found = match (bytes[0], second, third) {
        (b'{', ..) => LBrace,
        (b'}', ..) => RBrace,
        (b'(', ..) => LParen,
        (b')', ..) => RParen,
        (b'[', ..) => LBracket,
        (b']', ..) => RBracket,
        (b';', ..) => Semi,
        (b',', ..) => Comma,
        (b':', b':', _) => ColonColon,
        (b':', ..) => Colon,
        (b'.', b'.', b'.') => Ellipsis,
        (b'.', ..) => Dot,
        (b'?', ..) => Question,
        (b'~', ..) => Tilde,
        (b'+', b'+', _) => PlusPlus,
        (b'+', b'=', _) => PlusAssign,
        (b'+', ..) => Plus,
        (b'-', b'-', _) => MinusMinus,
        (b'-', b'=', _) => MinusAssign,
        (b'-', b'>', _) => Arrow,
        (b'-', ..) => Minus,
        (b'*', b'=', _) => StarAssign,
        (b'*', ..) => Star,
        (b'/', b'=', _) => SlashAssign,
        (b'/', ..) => Slash,
        (b'%', b'=', _) => PercentAssign,
        (b'%', ..) => Percent,
        (b'&', b'&', _) => AndAnd,
        (b'&', b'=', _) => AndAssign,
        (b'&', ..) => And,
        (b'|', b'|', _) => OrOr,
        (b'|', b'=', _) => OrAssign,
        (b'|', ..) => Or,
        (b'^', b'=', _) => CaretAssign,
        (b'^', ..) => Caret,
        (b'!', b'=', _) => NotEqual,
        (b'!', ..) => Not,
        (b'=', b'=', _) => Equal,
        (b'=', ..) => Assign,
        (b'<', b'<', b'=') => ShlAssign,
        (b'<', b'<', _) => Shl,
        (b'<', b'=', _) => LessEqual,
        (b'<', ..) => Less,
        (b'>', b'>', b'=') => ShrAssign,
        (b'>', b'>', _) => Shr,
        (b'>', b'=', _) => GreaterEqual,
        (b'>', ..) => Greater,
        (b'#', b'#', _) => HashHash,
        (b'#', ..) => Hash,
        _ => return None,
    };
    Some((found, found.text().len()))
}

// Values.

/// The value of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(IntLiteral),
    Float(FloatLiteral),
}

/// Parses a number; the error says what is wrong with it.
pub(crate) fn number(text: &str) -> Result<Number, String> {
    let lower = match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::from(text.to_ascii_lowercase()),
        false => Cow::from(text),
    };
    if let Some(digits) = lower.strip_prefix("0x") {
        if let Some((significand, exponent)) = digits.split_once('p') {
            return hexadecimal_float(text, significand, exponent);
        }
        return integer(text, digits, 16);
    }
    if let Some(digits) = lower.strip_prefix("0b") {
        return integer(text, digits, 2);
    }
    if let Some((_, special)) = lower.split_once(".#") {
        let value = match special.trim_end_matches('f') {
            "in" | "inf" => f64::INFINITY,
            "ind" | "qnan" | "nan" => f64::NAN,
            _ => return Err(format!("`{text}` is not a number")),
        };
        return Ok(Number::Float(FloatLiteral {
            value,
            suffix: FloatSuffix::None,
            overflows: false,
        }));
    }
    let exponent = lower.bytes().position(|byte| byte == b'e');
    let suffixed = lower.ends_with(['f', 'h']);
    if exponent.is_some() || suffixed || lower.contains('.') {
        return float(text, &lower);
    }
    if lower.len() > 1 && lower.starts_with('0') {
        return integer(text, &lower[1..], 8);
    }
    integer(text, &lower, 10)
}

fn integer(text: &str, digits: &str, radix: u32) -> Result<Number, String> {
    let end =
        digits.bytes().position(|byte| !(byte as char).is_digit(radix)).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(end);
    let (unsigned, long) = match suffix {
        "" => (false, false),
        "u" => (true, false),
        "l" | "ll" => (false, true),
        "ul" | "ull" | "lu" | "llu" => (true, true),
        _ if radix == 8 && suffix.starts_with(['8', '9']) => {
            return Err(format!("`{text}` has a digit that is not octal"));
        }
        _ => return Err(format!("`{suffix}` is not an integer suffix")),
    };
    // `0` alone, or `0u`, reached here as octal without digits.
    if digits.is_empty() && radix != 8 {
        return Err(format!("`{text}` has no digits"));
    }
    let mut value = 0u64;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(radix)) {
        value = value
            .checked_mul(radix.into())
            .and_then(|value| value.checked_add(digit.into()))
            .ok_or_else(|| format!("`{text}` does not fit in 64 bits"))?;
    }
    Ok(Number::Int(IntLiteral { value, unsigned, long, decimal: radix == 10 || digits.is_empty() }))
}

/// `0x1.8p-3`: the exponent is of two, and cannot be left out.
fn hexadecimal_float(text: &str, significand: &str, exponent: &str) -> Result<Number, String> {
    let wrong = || format!("`{text}` is not a number");
    let (exponent, suffix) = match exponent.as_bytes().last() {
        Some(b'f') => (&exponent[..exponent.len() - 1], FloatSuffix::Float),
        Some(b'h') => (&exponent[..exponent.len() - 1], FloatSuffix::Half),
        Some(b'l') => (&exponent[..exponent.len() - 1], FloatSuffix::Double),
        _ => (exponent, FloatSuffix::None),
    };
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let mut value = 0u64;
    for digit in whole.chars().chain(fraction.chars()) {
        let digit = digit.to_digit(16).ok_or_else(wrong)?;
        if value >> 60 != 0 {
            return Err(format!("`{text}` has more digits than a number can hold"));
        }
        value = value << 4 | u64::from(digit);
    }
    let exponent: i32 = exponent.parse().map_err(|_| wrong())?;
    let digits = i32::try_from(fraction.len()).map_err(|_| wrong())?;
    if whole.is_empty() && fraction.is_empty() || value >> 53 != 0 || exponent.unsigned_abs() > 1000
    {
        return Err(wrong());
    }
    // Exact unless the result is denormal: the digits fit, and so do both powers.
    let half = (exponent - 4 * digits) / 2;
    let value = value as f64 * power_of_two(half) * power_of_two(exponent - 4 * digits - half);
    let value = match suffix {
        FloatSuffix::Float | FloatSuffix::Half => f64::from(value as f32),
        FloatSuffix::None | FloatSuffix::Double => value,
    };
    Ok(Number::Float(FloatLiteral { value, suffix, overflows: value.is_infinite() }))
}

/// 2 to a power in the exponent range of normal numbers.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

fn float(text: &str, lower: &str) -> Result<Number, String> {
    let (digits, suffix) = match lower.as_bytes().last() {
        Some(b'f') => (&lower[..lower.len() - 1], FloatSuffix::Float),
        Some(b'h') => (&lower[..lower.len() - 1], FloatSuffix::Half),
        Some(b'l') => (&lower[..lower.len() - 1], FloatSuffix::Double),
        _ => (lower, FloatSuffix::None),
    };
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'+' | b'-'));
    let wrong = || match digits.bytes().position(|byte| !matches!(byte, b'0'..=b'9' | b'.')) {
        Some(at) if !digits[at..].starts_with('e') => {
            format!("`{}` is not a numeric suffix", &lower[at..])
        }
        _ => format!("`{text}` is not a number"),
    };
    if !plain {
        return Err(wrong());
    }
    let value = match suffix {
        FloatSuffix::Float | FloatSuffix::Half => digits.parse::<f32>().map(f64::from),
        FloatSuffix::None | FloatSuffix::Double => digits.parse::<f64>(),
    };
    let value = value.map_err(|_| wrong())?;
    Ok(Number::Float(FloatLiteral { value, suffix, overflows: value.is_infinite() }))
}

/// The text of a string or character token, without quotes, with escapes decoded.
pub(crate) fn unquote(spelling: &str) -> String {
    let inner = spelling.get(1..spelling.len().saturating_sub(1)).unwrap_or("");
    let mut out = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(next) = chars.next() {
        if next != '\\' {
            out.push(next);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('v') => out.push('\u{b}'),
            Some('x') => {
                let mut value = 0u32;
                while let Some(digit) = chars.peek().and_then(|digit| digit.to_digit(16)) {
                    value = (value << 4 | digit) & 0xff;
                    chars.next();
                }
                out.extend(char::from_u32(value));
            }
            Some(digit @ '0'..='7') => {
                let mut value = digit as u32 - '0' as u32;
                for _ in 0..2 {
                    let Some(digit) = chars.peek().and_then(|digit| digit.to_digit(8)) else {
                        break;
                    };
                    value = value * 8 + digit;
                    chars.next();
                }
                out.extend(char::from_u32(value & 0xff));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lex(text: &str) -> Vec<String> {
        let mut names = Names::new();
        let mut cursor = Cursor::start(text);
        let mut out = Vec::new();
        loop {
            let token = next(text, &mut cursor, 0, &mut names);
            match token.kind {
                TokenKind::Eof => return out,
                TokenKind::Punct(punct) => out.push(punct.text().to_string()),
                _ => out.push(names.text(token.symbol).to_string()),
            }
        }
    }

    #[test]
    fn text_is_split_into_tokens() {
        let cases = [
            ("a+++b", "a ++ + b"),
            ("x<<=1>>2", "x <<= 1 >> 2"),
            ("1.xxx 0.5f.xx 1..x 1.f 1.e5 .5 5.", "1 . xxx 0.5f . xx 1. . x 1.f 1.e5 .5 5."),
            ("0xE-1 1e-1 1.#INF", "0xE - 1 1e-1 1.#INF"),
            ("a /* b\n */ c // d \\\n e\nf", "a c f"),
            ("lo\\\nng 1\\\n2 \"a\\\nb\"", "long 12 \"ab\""),
            ("a <\\\n<\\ \r\n= b\\\n\\\nc 1\\\n.5e\\\n+3 -\\\nx", "a <<= bc 1.5e+3 - x"),
            ("a /\\\n* b *\\\n/ c /\\\n/ d\ne /\\\n= *\\\n/", "a c e /= * /"),
            ("\"a\\\"b\" 'c' '\\''", "\"a\\\"b\" 'c' '\\''"),
            ("a::b->c...d", "a :: b -> c ... d"),
            ("a @ \u{e9}b", "a @ \u{e9} b"),
        ];
        for (text, expected) in cases {
            assert_eq!(lex(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn integers_have_bases_and_suffixes() {
        let int = |value, unsigned, long, decimal| {
            Ok(Number::Int(IntLiteral { value, unsigned, long, decimal }))
        };
        assert_eq!(number("0"), int(0, false, false, true));
        assert_eq!(number("0u"), int(0, true, false, true));
        assert_eq!(number("42"), int(42, false, false, true));
        assert_eq!(number("0xFFFFFFFFu"), int(0xffff_ffff, true, false, false));
        assert_eq!(number("0b101"), int(5, false, false, false));
        assert_eq!(number("017"), int(15, false, false, false));
        assert_eq!(number("1ULL"), int(1, true, true, true));
        assert_eq!(number("18446744073709551615"), int(u64::MAX, false, false, true));
        for wrong in ["18446744073709551616", "09", "0x", "1z", "0b2", "1uu", "0xg"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn floats_are_rounded_once() {
        let float = |text: &str| match number(text) {
            Ok(Number::Float(it)) => (it.value, it.suffix),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(float("1."), (1.0, FloatSuffix::None));
        assert_eq!(float(".5f"), (0.5, FloatSuffix::Float));
        assert_eq!(float("1e3"), (1000.0, FloatSuffix::None));
        assert_eq!(float("2h"), (2.0, FloatSuffix::Half));
        assert_eq!(float("1.5L"), (1.5, FloatSuffix::Double));
        assert_eq!(float("0.1f").0, f64::from(0.1f32));
        assert_eq!(float("08.5").0, 8.5);
        assert_eq!(float("1.#INF").0, f64::INFINITY);
        assert!(float("1.#IND").0.is_nan());
        for wrong in ["1e", "1.5x", "1.5ff", "1.2.3", "1e+", "1.#FOO"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn escapes_denote_characters() {
        assert_eq!(unquote(r#""a\n\"\x41\101""#), "a\n\"AA");
        assert_eq!(unquote("\""), "");
    }
}
