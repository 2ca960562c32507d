//! Syntax highlighting: the class of each token of a text, comments included.
//!
//! It is the compiler's own lexer that splits the text, and its own tables that know the words, so that colours and
//! compiler agree. Nothing is preprocessed: a directive is one piece, and text under `#if 0` is coloured like any
//! other.

use std::ops::Range;

use crate::lex::{self, Cursor};
use crate::token::{Flags, Names, Punct, TokenKind};
use crate::{library, parse};

/// What a piece of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    Comment,
    Directive,
    Keyword,
    Type,
    /// A wave or quad function.
    Wave,
    /// Another function of the language.
    Function,
    Number,
    String,
    /// It starts no token, or does not end.
    Stray,
}

/// The classified pieces of a text by their bytes, in order; names, operators and blanks lie between them.
pub fn classes(text: &str) -> Vec<(Range<usize>, Class)> {
    let mut names = Names::new();
    let mut cursor = Cursor::start(text);
    let mut pieces = Vec::new();
    loop {
        let before = cursor.pos;
        let token = lex::next(text, &mut cursor, 0, &mut names);
        let range = token.span.lo as usize..token.span.hi as usize;
        comments(text, before..range.start, &mut pieces);
        let class = match token.kind {
            TokenKind::Eof => return pieces,
            TokenKind::UnclosedComment => Some(Class::Comment),
            TokenKind::Number => Some(Class::Number),
            TokenKind::Char | TokenKind::String => Some(Class::String),
            TokenKind::Stray | TokenKind::UnclosedString | TokenKind::UnclosedChar => {
                Some(Class::Stray)
            }
            TokenKind::Punct(Punct::Hash) if token.flags.has(Flags::LINE_START) => {
                lex::skip_line(text, &mut cursor);
                let line = text[range.start..cursor.pos].trim_end();
                pieces.push((range.start..range.start + line.len(), Class::Directive));
                continue;
            }
            TokenKind::Punct(_) => None,
            TokenKind::Ident => word(names.text(token.symbol), token.keyword().is_some()),
        };
        pieces.extend(class.map(|it| (range, it)));
    }
}

fn word(name: &str, is_keyword: bool) -> Option<Class> {
    if is_keyword {
        return Some(Class::Keyword);
    }
    if parse::is_builtin_type(name) {
        return Some(Class::Type);
    }
    if ops::intrinsics::by_name(name).is_some() {
        return Some(Class::Wave);
    }
    library::is_function(name).then_some(Class::Function)
}

/// The comments in the blank text between two tokens.
fn comments(text: &str, blank: Range<usize>, pieces: &mut Vec<(Range<usize>, Class)>) {
    let mut at = blank.start;
    while let Some(found) = text[at..blank.end].find('/') {
        let start = at + found;
        let rest = &text[start..blank.end];
        let is_line = rest[1..].trim_start_matches(['\\', '\r', '\n']).starts_with('/');
        let length = match is_line {
            true => line_comment(rest),
            false => rest.get(2..).and_then(|it| it.find("*/")).map_or(rest.len(), |it| it + 4),
        };
        pieces.push((start..start + length, Class::Comment));
        at = start + length;
    }
}

/// The length of a `//` comment, which a backslash continues on the next line.
fn line_comment(text: &str) -> usize {
    let mut length = 0;
    for line in text.split_inclusive('\n') {
        let end = line.trim_end_matches(['\r', '\n']);
        length += end.len();
        if !end.ends_with('\\') {
            break;
        }
        length += line.len() - end.len();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<(&str, Class)> {
        classes(text).into_iter().map(|(range, class)| (&text[range], class)).collect()
    }

    #[test]
    fn words_have_the_classes_that_the_compiler_gives_them() {
        use Class::*;
        let text = "#define N 4 // four\nRWBuffer<uint3> Out; // all\n\
                    [numthreads(N, 1, 1)] void main() { Out[0] = WaveActiveSum(dot(a, 1.5f)); }";
        assert_eq!(
            shown(text),
            [
                ("#define N 4 // four", Directive),
                ("RWBuffer", Type),
                ("uint3", Type),
                ("// all", Comment),
                ("1", Number),
                ("1", Number),
                ("void", Keyword),
                ("0", Number),
                ("WaveActiveSum", Wave),
                ("dot", Function),
                ("1.5f", Number),
            ]
        );
    }

    #[test]
    fn unclosed_text_is_coloured_to_its_end() {
        use Class::*;
        assert_eq!(shown("/* a */ b /* c"), [("/* a */", Comment), ("/* c", Comment)]);
        assert_eq!(shown("// a\\\nb\nc"), [("// a\\\nb", Comment)]);
        assert_eq!(shown("\"a\nb @"), [("\"a", Stray), ("@", Stray)]);
        assert_eq!(shown("#if x \\\n y\nint z"), [("#if x \\\n y", Directive), ("int", Type)]);
        assert_eq!(shown(""), []);
    }
}
