//! The lexer: splits the text form into tokens with positions.

use super::read::{At, ReadError};

/// A token borrows from the text, except for strings with escapes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name: letters, digits, `_`, and dots inside.
    Word(&'a str),
    Number(u64),
    Text(String),
    /// One of the signs of [`SIGNS`].
    Sign(&'static str),
    /// The end of a non-empty line.
    Newline,
    End,
}

const SIGNS: [&str; 14] = ["..", "{", "}", "(", ")", "[", "]", ",", ":", "=", "@", "#", "-", "."];

pub(super) struct Lexer<'a> {
    rest: &'a str,
    at: At,
    /// Whether the current line has a token.
    line_begun: bool,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        Lexer { rest: text, at: At { line: 1, column: 1 }, line_begun: false }
    }

    /// The next token and its position.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, At), ReadError> {
        loop {
            self.take_while(|c| matches!(c, ' ' | '\t' | '\r'));
            if self.rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            }
            if !self.rest.starts_with('\n') {
                break;
            }
            let at = self.at;
            self.advance(1);
            if std::mem::replace(&mut self.line_begun, false) {
                return Ok((Token::Newline, at));
            }
        }
        let at = self.at;
        let Some(first) = self.rest.chars().next() else { return Ok((Token::End, at)) };
        self.line_begun = true;
        let token = if first == '_' || first.is_ascii_alphabetic() {
            Token::Word(self.take_while(|c| c == '_' || c == '.' || c.is_ascii_alphanumeric()))
        } else if first.is_ascii_digit() {
            self.number(at)?
        } else if first == '"' {
            self.advance(1);
            self.string(at)?
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| self.rest.starts_with(sign)) {
            self.advance(sign.len());
            Token::Sign(sign)
        } else {
            return Err(at.error(format!("`{}` is not a token", first.escape_debug())));
        };
        Ok((token, at))
    }

    fn number(&mut self, at: At) -> Result<Token<'a>, ReadError> {
        let digits = self.take_while(|c| c.is_ascii_alphanumeric());
        let number = match digits.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => digits.parse(),
        };
        number.map(Token::Number).map_err(|_| at.error(format!("`{digits}` does not fit 64 bits")))
    }

    /// The rest of a string after its opening quote.
    fn string(&mut self, at: At) -> Result<Token<'a>, ReadError> {
        let mut text = String::new();
        loop {
            text.push_str(self.take_while(|c| !matches!(c, '"' | '\\' | '\n')));
            let at_escape = self.at;
            if self.rest.starts_with('"') {
                self.advance(1);
                return Ok(Token::Text(text));
            }
            if !self.rest.starts_with('\\') {
                return Err(at.error("unterminated string"));
            }
            self.advance(1);
            let escape = self.rest.chars().next().unwrap_or('\n');
            let c = match escape {
                '"' | '\\' => Some(escape),
                'n' => Some('\n'),
                'u' => None,
                _ => {
                    return Err(at_escape
                        .error("unknown escape; expected `\\\"`, `\\\\`, `\\n` or `\\u{HEX}`"));
                }
            };
            self.advance(1);
            if let Some(c) = c {
                text.push(c);
                continue;
            }
            // The first brace closes it: another one belongs to the string.
            let hex = self.take_while(|c| c == '{' || c.is_ascii_hexdigit());
            let hex = hex.strip_prefix('{').filter(|_| self.rest.starts_with('}'));
            let code =
                hex.and_then(|hex| u32::from_str_radix(hex, 16).ok()).and_then(char::from_u32);
            text.push(code.ok_or_else(|| {
                at_escape.error("the escape `\\u{HEX}` does not name a character")
            })?);
            self.advance(1);
        }
    }

    fn take_while(&mut self, mut wanted: impl FnMut(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !wanted(c)).unwrap_or(self.rest.len());
        let taken = &self.rest[..end];
        self.advance(end);
        taken
    }

    /// Advances by that many bytes, with at most one line end among them.
    fn advance(&mut self, bytes: usize) {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        if taken == "\n" {
            self.at = At { line: self.at.line.saturating_add(1), column: 1 };
        } else {
            self.at.column = self.at.column.saturating_add(taken.chars().count() as u32);
        }
    }
}
