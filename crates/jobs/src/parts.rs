//! Splits a test file at its lines `#--- NAME` and `//--- NAME`, like LLVM's `split-file`.

use std::collections::HashSet;
use std::ops::Range;

use crate::Error;

/// A part of a test file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub name: String,
    /// The position of its text in the whole file.
    pub at: Range<usize>,
}

/// All parts, in order. Text before the first marker belongs to no part.
pub fn split(text: &str) -> Result<Vec<Part>, Error> {
    let mut parts: Vec<Part> = Vec::new();
    let mut names = HashSet::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(name) = marker(line) else { continue };
        if let Some(last) = parts.last_mut() {
            last.at.end = start;
        }
        let place = start..start + line.trim_end().len();
        if name.is_empty() {
            return Err(Error::new(place, "a part needs a name").help("#--- source.hlsl"));
        }
        if !names.insert(name) {
            return Err(Error::new(place, format!("the part `{name}` is defined twice")));
        }
        parts.push(Part { name: name.to_owned(), at: at..text.len() });
    }
    Ok(parts)
}

/// The name on a marker line, which starts in the first column.
fn marker(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("#---").or_else(|| line.strip_prefix("//---"))?;
    // `#----` is a ruler, not a marker.
    rest.starts_with([' ', '\t', '\r', '\n']).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_and_texts(text: &str) -> Vec<(String, &str)> {
        split(text).unwrap().into_iter().map(|it| (it.name, &text[it.at])).collect()
    }

    #[test]
    fn both_styles_of_markers_can_be_mixed() {
        let text = "before\n#--- a.hlsl\none\ntwo\n//--- b.yaml  \nthree\n#--- end\n";
        let expected = [("a.hlsl", "one\ntwo\n"), ("b.yaml", "three\n"), ("end", "")];
        let expected: Vec<(String, &str)> =
            expected.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
        assert_eq!(names_and_texts(text), expected);
        assert_eq!(names_and_texts("---\n //--- a\n#----\n#---b\n"), []);
    }

    #[test]
    fn names_are_required_and_unique() {
        assert_eq!(split("x\n#---\n").unwrap_err().at, 2..6);
        assert!(split("#--- a\n//--- a\n").unwrap_err().message.contains("defined twice"));
    }
}
