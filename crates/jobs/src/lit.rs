//! The directives of LLVM's `lit` in test files: what to run, and where.
//!
//! Deliberately absent: a shell. A test's commands are recognised by their purpose, see [`crate::script`].

use std::collections::BTreeSet;
use std::ops::Range;

use crate::Error;

/// The names that conditions may use and that are true here.
pub type Features = BTreeSet<String>;

/// The directives of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// The command lines of `RUN:`, with continuation lines joined.
    pub run: Vec<Line>,
    /// All must hold.
    pub requires: Vec<Condition>,
    /// None may hold.
    pub unsupported: Vec<Condition>,
    /// Where the file's authors expect a failure.
    pub xfail: Vec<Condition>,
}

/// A command line and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub text: String,
    pub at: Range<usize>,
}

/// A condition over features.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// As written.
    pub text: String,
    expr: Expr,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Expr {
    Feature(String),
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
}

impl Condition {
    pub fn holds(&self, features: &Features) -> bool {
        self.expr.holds(features)
    }
}

impl Expr {
    fn holds(&self, features: &Features) -> bool {
        match self {
            Expr::Feature(name) => match name.as_str() {
                "*" | "true" => true,
                "false" => false,
                _ => features.contains(name),
            },
            Expr::Not(inner) => !inner.holds(features),
            Expr::And(a, b) => a.holds(features) && b.holds(features),
            Expr::Or(a, b) => a.holds(features) || b.holds(features),
        }
    }
}

impl Directives {
    /// Whether the test can run with these features; if not, why.
    pub fn refused(&self, features: &Features) -> Option<String> {
        let missing = self.requires.iter().find(|it| !it.holds(features));
        if let Some(condition) = missing {
            return Some(format!("it requires `{}`", condition.text));
        }
        let matched = self.unsupported.iter().find(|it| it.holds(features));
        matched.map(|it| format!("it is marked unsupported for `{}`", it.text))
    }

    /// The condition under which the authors expect a failure here.
    pub fn expected_failure(&self, features: &Features) -> Option<&str> {
        self.xfail.iter().find(|it| it.holds(features)).map(|it| it.text.as_str())
    }
}

/// Finds the directives, anywhere in the file, in comments of any language.
pub fn directives(text: &str) -> Result<Directives, Error> {
    let mut found = Directives::default();
    let mut is_continued = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let line = line.trim_end();
        let Some((keyword, from)) = keyword(line) else { continue };
        let value = line[from..].trim();
        let value_start = start + from + (line[from..].len() - line[from..].trim_start().len());
        let place = value_start..value_start + value.len();
        let list = match keyword {
            "RUN:" => {
                let (value, goes_on) = match value.strip_suffix('\\') {
                    Some(value) => (value.trim_end(), true),
                    None => (value, false),
                };
                match found.run.last_mut().filter(|_| is_continued) {
                    Some(last) => {
                        last.text = format!("{} {value}", last.text);
                        last.at.end = place.end;
                    }
                    None => found.run.push(Line { text: value.to_owned(), at: place }),
                }
                is_continued = goes_on;
                continue;
            }
            "REQUIRES:" => &mut found.requires,
            "UNSUPPORTED:" => &mut found.unsupported,
            _ => &mut found.xfail,
        };
        // A comma separates conditions, as in older tests.
        let mut offset = place.start;
        for item in value.split(',') {
            let lead = item.len() - item.trim_start().len();
            list.push(condition(item.trim(), offset + lead)?);
            offset += item.len() + 1;
        }
    }
    Ok(found)
}

/// The first directive's keyword on a line, and where it ends. It must not be the tail of a longer word.
fn keyword(line: &str) -> Option<(&'static str, usize)> {
    let words = ["RUN:", "REQUIRES:", "UNSUPPORTED:", "XFAIL:"];
    let places = words.iter().filter_map(|word| {
        let at = line.find(word)?;
        let before = line[..at].chars().next_back();
        let is_tail = before.is_some_and(|it| it.is_alphanumeric() || it == '-' || it == '_');
        (!is_tail).then_some((*word, at))
    });
    places.min_by_key(|(_, at)| *at).map(|(word, at)| (word, at + word.len()))
}

/// Parses one condition that starts at `offset` of the file.
fn condition(text: &str, offset: usize) -> Result<Condition, Error> {
    let mut reader = Reader { text, offset, at: 0, depth: 0 };
    let expr = reader.or()?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.error("expected `&&`, `||` or the end of the condition"));
    }
    Ok(Condition { text: text.to_owned(), expr })
}

/// Deeper conditions are unreadable, and could exhaust the stack.
const DEEPEST: usize = 64;

struct Reader<'a> {
    text: &'a str,
    offset: usize,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn or(&mut self) -> Result<Expr, Error> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("the condition nests too deeply"));
        }
        let mut left = self.and()?;
        while self.eat("||") {
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        self.depth -= 1;
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, Error> {
        let mut left = self.unary()?;
        while self.eat("&&") {
            left = Expr::And(Box::new(left), Box::new(self.unary()?));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr, Error> {
        let mut is_negated = false;
        while self.eat("!") {
            is_negated = !is_negated;
        }
        let inner = match self.eat("(") {
            true => {
                let inner = self.or()?;
                if !self.eat(")") {
                    return Err(self.error("expected `)`"));
                }
                inner
            }
            false => Expr::Feature(self.name()?),
        };
        Ok(if is_negated { Expr::Not(Box::new(inner)) } else { inner })
    }

    fn name(&mut self) -> Result<String, Error> {
        self.space();
        let rest = &self.text[self.at..];
        let is_part = |it: char| it.is_alphanumeric() || "-_.+=*".contains(it);
        let len = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        if len == 0 {
            return Err(self.error("expected the name of a feature"));
        }
        self.at += len;
        Ok(rest[..len].to_owned())
    }

    fn eat(&mut self, token: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(token);
        self.at += if found { token.len() } else { 0 };
        found
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn error(&self, message: &str) -> Error {
        let at = self.offset + self.at;
        Error::new(at..at, message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn features(names: &str) -> Features {
        names.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn conditions_follow_the_usual_precedence() {
        for (text, names, expected) in [
            ("A", "A", true),
            ("!A", "A", false),
            ("A || B && C", "A", true),
            ("(A || B) && C", "A", false),
            ("!(A && B) && !!C", "A C", true),
            ("A-1.0 && WaveSize_32", "A-1.0 WaveSize_32", true),
            ("*", "", true),
        ] {
            assert_eq!(condition(text, 0).unwrap().holds(&features(names)), expected, "{text}");
        }
        for text in ["", "A &&", "(A", "A B", "&& A"] {
            assert!(condition(text, 0).is_err(), "{text}");
        }
        assert!(condition(&"(".repeat(100_000), 0).is_err());
    }

    #[test]
    fn directives_are_found_in_any_comment_and_commas_mean_and() {
        let text = "// RUN: split-file %s \\\n// RUN:   %t\n# XRUN: no\n# REQUIRES: Half, Int16\n\
                    # UNSUPPORTED: Vulkan\n# XFAIL: A && B\n";
        let found = directives(text).unwrap();
        assert_eq!(found.run.len(), 1);
        assert_eq!(found.run[0].text, "split-file %s %t");
        assert_eq!(found.refused(&features("Half")).unwrap(), "it requires `Int16`");
        assert_eq!(found.refused(&features("Half Int16")), None);
        assert!(found.refused(&features("Half Int16 Vulkan")).unwrap().contains("unsupported"));
        assert_eq!(found.expected_failure(&features("A B")), Some("A && B"));
        let error = directives("x\n# REQUIRES: A, (B\n").unwrap_err();
        assert_eq!(error.at, 19..19);
    }
}
