//! The words of a text (tokens without any meaning), and its size in them.
//!
//! This is not the language's lexer: it must cope with texts that no lexer accepts, and keep every byte's place.

use std::ops::Range;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Number,
    /// A character or an operator, or a string.
    Other,
    Comment,
    /// A whole line that starts with `#`.
    Directive,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub(crate) kind: Kind,
    pub(crate) at: Range<usize>,
}

/// Operators of more than one character, the longest first.
const OPERATORS: [&str; 23] = [
    "<<=", ">>=", "::", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=",
    "%=", "&=", "|=", "^=", "<<", "->", "##", "[[",
];

/// All words, in order.
pub(crate) fn words(text: &str) -> Vec<Word> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let (mut at, mut starts_line) = (0, true);
    while let Some(first) = text.get(at..).and_then(|it| it.chars().next()) {
        if first.is_whitespace() {
            starts_line |= first == '\n';
            at += first.len_utf8();
            continue;
        }
        let rest = &text[at..];
        let is_name = |it: char| it.is_alphanumeric() || it == '_';
        let until = |end: Option<usize>| end.unwrap_or(rest.len());
        let (kind, length) = if rest.starts_with("//") {
            (Kind::Comment, until(rest.find('\n')))
        } else if rest.starts_with("/*") {
            (Kind::Comment, until(rest.find("*/").map(|it| it + 2)))
        } else if first == '#' && starts_line {
            (Kind::Directive, until(line_end(rest)))
        } else if first == '"' {
            (Kind::Other, until(rest[1..].find(['"', '\n']).map(|it| it + 2)).min(rest.len()))
        } else if first.is_ascii_digit()
            || first == '.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            let is_part = |(place, it): (usize, char)| {
                let signed = matches!(it, '+' | '-')
                    && !rest.starts_with("0x")
                    && rest[..place].ends_with(['e', 'E']);
                is_name(it) || it == '.' || signed
            };
            (Kind::Number, until(rest.char_indices().find(|it| !is_part(*it)).map(|it| it.0)))
        } else if is_name(first) {
            (Kind::Name, until(rest.find(|it| !is_name(it))))
        } else {
            let operator = OPERATORS.iter().find(|it| **it != "[[" && rest.starts_with(**it));
            (Kind::Other, operator.map_or(first.len_utf8(), |it| it.len()))
        };
        found.push(Word { kind, at: at..at + length });
        at += length;
        starts_line = false;
    }
    found
}

/// The end of a directive's line; a backslash continues it.
fn line_end(text: &str) -> Option<usize> {
    let is_end = |place: &usize| !text[..*place].trim_end_matches('\r').ends_with('\\');
    text.match_indices('\n').map(|it| it.0).find(is_end)
}

/// How large a text is: words, then names among them, then characters, then the sum of its numbers. A later part counts
/// only where those before are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size {
    pub words: usize,
    names: usize,
    characters: usize,
    numbers: u128,
}

/// The size of a text.
pub fn size(text: &str) -> Size {
    let mut size = Size { words: 0, names: 0, characters: 0, numbers: 0 };
    for word in words(text) {
        let spelled = &text[word.at.clone()];
        size.characters += spelled.len();
        match word.kind {
            Kind::Comment => continue,
            Kind::Directive => size.words += spelled.split_whitespace().count(),
            Kind::Name => size.names += 1,
            Kind::Number => size.numbers += u128::from(value(spelled).unwrap_or(0)),
            Kind::Other => {}
        }
        size.words += 1;
    }
    size
}

/// The value of an integer literal, whatever its suffix.
pub(crate) fn value(spelled: &str) -> Option<u64> {
    let digits = spelled.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hexadecimal) => u64::from_str_radix(hexadecimal, 16).ok(),
        None => digits.parse().ok(),
    }
}
