//! Edits of a text: ranges of bytes and what replaces them.

use std::ops::Range;

/// Replacements in ascending order that do not overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edit(Vec<(Range<usize>, String)>);

impl Edit {
    pub(crate) fn cut(range: Range<usize>) -> Edit {
        Edit::replace(range, String::new())
    }

    pub(crate) fn replace(range: Range<usize>, by: impl Into<String>) -> Edit {
        Edit(vec![(range, by.into())])
    }

    /// Several replacements at once; `None` if two overlap.
    pub(crate) fn all(mut parts: Vec<(Range<usize>, String)>) -> Option<Edit> {
        parts.sort_by_key(|it| (it.0.start, it.0.end));
        let is_apart = parts.windows(2).all(|it| it[0].0.end <= it[1].0.start);
        (is_apart && !parts.is_empty()).then_some(Edit(parts))
    }

    pub(crate) fn applied(&self, text: &str) -> String {
        let mut result = String::with_capacity(text.len());
        let mut at = 0;
        for (range, by) in &self.0 {
            result.push_str(text.get(at..range.start).unwrap_or(""));
            // Two words that were apart stay apart.
            let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
            let after = by.chars().next().or_else(|| text.get(range.end..)?.chars().next());
            if result.ends_with(is_word) && after.is_some_and(is_word) {
                result.push(' ');
            }
            result.push_str(by);
            at = range.end;
        }
        let rest = text.get(at..).unwrap_or("");
        let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
        if result.ends_with(is_word) && rest.starts_with(is_word) && at > 0 {
            result.push(' ');
        }
        result.push_str(rest);
        result
    }
}

/// Runs of siblings to cut, as delta debugging tries them: all, halves, quarters, down to single ones, the last run
/// first, because later siblings use what earlier ones declare.
pub(crate) fn runs(siblings: &[Range<usize>], edits: &mut Vec<Edit>) {
    let mut length = siblings.len();
    while length > 0 {
        let mut end = siblings.len();
        while end > 0 {
            let start = end.saturating_sub(length);
            edits.push(Edit::cut(siblings[start].start..siblings[end - 1].end));
            end = start;
        }
        length /= 2;
    }
}
