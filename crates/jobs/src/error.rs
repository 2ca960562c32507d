//! Errors in test files, with their locations.

use std::fmt;
use std::ops::Range;

use wavelane::{SourceMap, Span};

/// An error in a test file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The bytes of the file concerned.
    pub at: Range<usize>,
    pub message: String,
    pub help: Option<String>,
    /// It is right, and only not supported.
    pub is_unsupported: bool,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl Error {
    pub fn new(at: Range<usize>, message: impl Into<String>) -> Error {
        Error { at, message: message.into(), help: None, is_unsupported: false }
    }

    /// Something that is right, and only not supported.
    pub fn unsupported(at: Range<usize>, message: impl Into<String>) -> Error {
        Error { is_unsupported: true, ..Error::new(at, message) }
    }

    pub fn help(mut self, help: impl Into<String>) -> Error {
        self.help = Some(help.into());
        self
    }

    fn level(&self) -> &'static str {
        if self.is_unsupported { "unsupported" } else { "error" }
    }

    /// `file:line:col: error: message`, with the source line.
    pub fn render(&self, file: &str, text: &str) -> String {
        let mut sources = SourceMap::new();
        // The first file of a map starts at 0.
        let place = sources.add(file, text).map(|_| {
            let at = |offset: usize| offset.min(text.len()) as u32;
            Span::new(at(self.at.start), at(self.at.end))
        });
        let mut rendered = String::new();
        match place.and_then(|span| Some((span, sources.location(span)?))) {
            Some((span, at)) => {
                rendered.push_str(&format!(
                    "{file}:{}:{}: {}: {}\n",
                    at.line,
                    at.column,
                    self.level(),
                    self.message
                ));
                let style = wavelane::internal::diag::Style::Plain;
                rendered.push_str(&wavelane::internal::diag::excerpt(span, "", &sources, style));
            }
            None => rendered.push_str(&format!("{file}: {}: {}\n", self.level(), self.message)),
        }
        if let Some(help) = &self.help {
            rendered.push_str(&format!("  = help: {help}\n"));
        }
        rendered
    }
}

/// Suggests the known word nearest to a mistyped one, as a question.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    wavelane::internal::diag::most_similar(word, known).map(|it| format!("did you mean `{it}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_shows_its_location_and_help() {
        let text = "a\nbc: d\n";
        let error = Error::new(2..4, "unknown key `bc`").help("did you mean `bd`?");
        let shown = error.render("x.test", text);
        assert!(shown.starts_with("x.test:2:1: error: unknown key `bc`\n"), "{shown}");
        assert!(
            shown.contains("bc: d") && shown.ends_with("= help: did you mean `bd`?\n"),
            "{shown}"
        );
        assert!(Error::new(9..9, "e").render("x", text).contains("error: e"));
    }

    #[test]
    fn similar_words_are_suggested() {
        assert_eq!(did_you_mean("Buffer", ["Buffers"]).as_deref(), Some("did you mean `Buffers`?"));
        assert_eq!(did_you_mean("Nonsense", ["Buffers", "Shaders"]), None);
    }
}
