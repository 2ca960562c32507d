//! A YAML parser whose tree records the location of every node.
//!
//! It accepts the subset of LLVM's reader: one document, no anchors, aliases or tags. A text can therefore not
//! expand into a larger tree, and its cost is bounded by its length and by [`DEEPEST`].

use std::borrow::Cow;
use std::ops::Range;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::Error;

/// The deepest nesting of lists and mappings; a job needs ten.
const DEEPEST: usize = 64;

/// A node of the tree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// The bytes of the text from which it was parsed.
    pub at: Range<usize>,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Scalar(String),
    List(Vec<Node>),
    /// In textual order; keys are unique.
    Map(Vec<(Key, Node)>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub at: Range<usize>,
    pub name: String,
}

impl Node {
    /// The kind of the node, for messages.
    pub(crate) fn what(&self) -> &'static str {
        match self.kind {
            Kind::Scalar(_) => "a value",
            Kind::List(_) => "a list",
            Kind::Map(_) => "a mapping",
        }
    }
}

/// Reads the first document.
pub(crate) fn read(text: &str) -> Result<Node, Error> {
    let lenient = forgive(text);
    let mut options = granit_parser::Options::default();
    options.flow_nesting_limit = DEEPEST;
    options.block_nesting_limit = DEEPEST;
    options.disallow_directives = true;
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str_with_options(&lenient, options) {
        let (event, span) = event.map_err(|error| {
            let at = error.marker().byte_offset().unwrap_or(0).min(text.len());
            Error::new(at..at, format!("invalid YAML: {error}", error = plain(&error.info())))
        })?;
        let offset = |it: &granit_parser::Marker| it.byte_offset().unwrap_or(0).min(text.len());
        let at = offset(&span.start)..offset(&span.end);
        let node = match event {
            Event::Scalar(value, style, anchor, tag) => {
                refuse(anchor, tag.is_some(), &at)?;
                Node { at, kind: Kind::Scalar(scalar(value, style)) }
            }
            Event::SequenceStart(_, anchor, tag) => {
                refuse(anchor, tag.is_some(), &at)?;
                open.push(Open { at, items: Items::List(Vec::new()) });
                too_deep(&open)?;
                continue;
            }
            Event::MappingStart(_, anchor, tag) => {
                refuse(anchor, tag.is_some(), &at)?;
                open.push(Open { at, items: Items::Map(Vec::new(), None) });
                too_deep(&open)?;
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(it) => it.close(at.end),
                None => return Err(Error::new(at, "nothing is open here")),
            },
            Event::Alias(_) | Event::UnresolvedAlias(_) | Event::Anchor(..) => {
                return Err(Error::new(at, "anchors and aliases are not allowed in a job"));
            }
            Event::DocumentEnd | Event::StreamEnd => break,
            _ => continue,
        };
        match open.last_mut() {
            Some(parent) => parent.add(node)?,
            None => return Ok(node),
        }
    }
    Err(Error::new(text.len()..text.len(), "the document is empty"))
}

struct Open {
    at: Range<usize>,
    items: Items,
}

enum Items {
    List(Vec<Node>),
    /// With the key whose value is next.
    Map(Vec<(Key, Node)>, Option<Key>),
}

impl Open {
    fn add(&mut self, node: Node) -> Result<(), Error> {
        match &mut self.items {
            Items::List(list) => list.push(node),
            Items::Map(map, key) => match (key.take(), node.kind) {
                (Some(key), kind) => map.push((key, Node { at: node.at, kind })),
                (None, Kind::Scalar(name)) => {
                    if map.iter().any(|(it, _)| it.name == name) {
                        return Err(Error::new(node.at, format!("`{name}` is given twice")));
                    }
                    // Comparing each key with each would take quadratic time in an invalid text with millions of
                    // keys.
                    if map.len() >= MOST_KEYS {
                        return Err(Error::new(node.at, "too many keys in one mapping"));
                    }
                    *key = Some(Key { at: node.at, name });
                }
                (None, Kind::List(_) | Kind::Map(_)) => {
                    return Err(Error::new(node.at, "a key must be a word"));
                }
            },
        }
        Ok(())
    }

    fn close(self, end: usize) -> Node {
        let kind = match self.items {
            Items::List(list) => Kind::List(list),
            Items::Map(map, _) => Kind::Map(map),
        };
        Node { at: self.at.start..end.max(self.at.start), kind }
    }
}

const MOST_KEYS: usize = 256;

fn refuse(anchor: usize, has_tag: bool, at: &Range<usize>) -> Result<(), Error> {
    match (anchor, has_tag) {
        (0, false) => Ok(()),
        (0, true) => Err(Error::new(at.clone(), "tags are not allowed in a job")),
        _ => Err(Error::new(at.clone(), "anchors and aliases are not allowed in a job")),
    }
}

fn too_deep(open: &[Open]) -> Result<(), Error> {
    match open.last() {
        Some(last) if open.len() > DEEPEST => {
            Err(Error::new(last.at.clone(), "lists and mappings nest too deeply"))
        }
        _ => Ok(()),
    }
}

fn scalar(value: Cow<'_, str>, style: ScalarStyle) -> String {
    match style {
        // An empty value is `~` in some parsers' events, and empty in ours.
        ScalarStyle::Plain if value == "~" => String::new(),
        _ => value.into_owned(),
    }
}

fn plain(message: &str) -> String {
    message.trim().trim_end_matches('.').replace('\n', "; ")
}

/// LLVM's reader accepts tabs as indentation and empty entries in flow lists, and suites use them.
/// Both become spaces, so that locations stay the same.
fn forgive(text: &str) -> Cow<'_, str> {
    if !text.contains('\t') && !has_empty_entry(text) {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.as_bytes().to_vec();
    let mut after_comma = false;
    let mut quote = None;
    let mut in_comment = false;
    for i in 0..bytes.len() {
        let byte = bytes[i];
        if in_comment {
            in_comment = byte != b'\n';
            continue;
        }
        match (quote, byte) {
            (Some(open), _) => {
                if byte == open {
                    quote = None;
                }
                continue;
            }
            (None, b'"' | b'\'') if i == 0 || b" \t\n[,:{-".contains(&bytes[i - 1]) => {
                quote = Some(byte);
            }
            (None, b'#') if i == 0 || b" \t\n".contains(&bytes[i - 1]) => {
                in_comment = true;
                continue;
            }
            (None, b'\t') => bytes[i] = b' ',
            (None, b',') if after_comma => bytes[i] = b' ',
            _ => {}
        }
        match byte {
            b',' => after_comma = true,
            b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => after_comma = false,
        }
    }
    // Only single ASCII bytes were replaced, by others.
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn has_empty_entry(text: &str) -> bool {
    let mut after_comma = false;
    text.bytes().any(|byte| match byte {
        b',' => std::mem::replace(&mut after_comma, true),
        b' ' | b'\t' | b'\n' | b'\r' => false,
        _ => {
            after_comma = false;
            false
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_locations() {
        let text = "---\nA: [1, 'two']\nB:\n  - C: x\n...\n# RUN: y\n";
        let node = read(text).unwrap();
        let Kind::Map(map) = &node.kind else { panic!("{node:?}") };
        assert_eq!(&text[map[0].0.at.clone()], "A");
        let Kind::List(list) = &map[0].1.kind else { panic!("{node:?}") };
        assert_eq!(list[1].kind, Kind::Scalar("two".to_owned()));
        assert_eq!(&text[list[0].at.clone()], "1");
        let Kind::List(list) = &map[1].1.kind else { panic!("{node:?}") };
        assert_eq!(list[0].what(), "a mapping");
    }

    #[test]
    fn what_llvm_accepts_is_accepted_and_locations_stay() {
        let text = "A: [0,, 1, # a, , b\n  , 2]\nB:\n\t- 3\n";
        let node = read(text).unwrap();
        let Kind::Map(map) = &node.kind else { panic!("{node:?}") };
        let Kind::List(list) = &map[0].1.kind else { panic!("{node:?}") };
        let values: Vec<&str> = list.iter().map(|it| &text[it.at.clone()]).collect();
        assert_eq!(values, ["0", "1", "2"]);
        assert_eq!(forgive("A: 'x,,\ty'"), "A: 'x,,\ty'");
    }

    #[test]
    fn documents_that_could_expand_are_refused() {
        for text in [
            "a: &x [1]\nb: *x\n",
            "a: !!str x\n",
            "a: 1\na: 2\n",
            "[a: [b]",
            "",
            "? [a]\n: b\n",
            "%YAML 1.2\n---\na: b\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"[".repeat(1_000_000)).is_err());
        assert!(read(&"- ".repeat(1_000_000)).is_err());
        assert!(read(&"{a: ".repeat(100_000)).is_err());
    }
}
