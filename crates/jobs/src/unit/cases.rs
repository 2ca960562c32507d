//! Finds the cases of a file, ignoring comments and strings; the expansions of other macros are not seen.

use super::HEADER_NAME;

/// A case: the name of an entry point, and its line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    pub name: String,
    pub line: u32,
    pub kind: Kind,
}

/// How a case runs, as far as its text specifies it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A thread group.
    Threads,
    /// A draw, with its width and height if the case specifies them.
    Pixels(Option<[u32; 2]>),
    /// An entry point that specifies neither; a section.
    Open,
    /// A macro with arguments that it does not take, and what they should be.
    Wrong(&'static str),
}

/// The semantic of the position that a user's entry point gets, so that its failures name the pixel.
pub(crate) const AT: &str = "WAVELANE_AT";

const USAGE: &str = "expected `TEST_DRAW(name, width, height)` with two numbers of pixels";

/// The cases of a file, in order, and its text as it is to be compiled.
pub(crate) fn cases(text: &str) -> (Vec<Case>, String) {
    let (mut cases, mut edits) = (Vec::new(), Vec::new());
    let tokens = tokens(text);
    let word = |index: usize| tokens.get(index).map_or("", |it| it.1);
    // Lines are counted from the last token looked up.
    let (mut counted_to, mut lines) = (0, 1);
    let mut line = |at: usize| {
        lines += text[counted_to..at].matches('\n').count() as u32;
        counted_to = at;
        lines
    };
    let has_header = text.contains(HEADER_NAME);
    for (index, (at, token)) in tokens.iter().enumerate() {
        let is_macro = matches!(*token, "TEST_CASE" | "TEST_CASE_N" | "TEST_DRAW");
        if is_macro && word(index + 1) == "(" && !(index > 0 && word(index - 1) == "define") {
            let name = word(index + 2);
            if is_name(name) {
                let kind = match *token {
                    "TEST_DRAW" => size(&[3, 4, 5, 6, 7].map(|it| word(index + it))),
                    _ => Kind::Threads,
                };
                cases.push(Case { name: name.to_owned(), line: line(*at), kind });
            }
        }
        if *token == "[" && word(index + 1) == "test" && word(index + 2) == "]" {
            let line = line(*at);
            // Blanked, because other compilers do not know the attribute, and ours does not need it.
            let end = tokens[index + 2].0 + 1;
            edits.push((*at..end, " ".repeat(end - at)));
            let Some(entry) = entry(&tokens, index + 3) else { continue };
            let kind = kind(text, &tokens, index, entry.parameters);
            let is_drawn =
                kind == Kind::Pixels(None) || kind == Kind::Open && is_drawn_above(text, *at);
            if let Some((close, body)) = entry.ends.filter(|_| is_drawn && has_header) {
                let comma = if entry.parameters + 1 == close { "" } else { ", " };
                let parameter = format!("{comma}float2 wavelane_at : {AT}");
                edits.push((tokens[close].0..tokens[close].0, parameter));
                let start = tokens[body].0 + 1;
                edits.push((start..start, " wavelane_pixel = uint2(wavelane_at) + 1;".to_owned()));
            }
            cases.push(Case { name: entry.name.to_owned(), line, kind });
        }
    }
    let mut compiled = text.to_owned();
    for (range, by) in edits.into_iter().rev() {
        compiled.replace_range(range, &by);
    }
    (cases, compiled)
}

/// `, 8, 8)`
fn size(words: &[&str; 5]) -> Kind {
    let [",", width, ",", height, ")"] = words else { return Kind::Wrong(USAGE) };
    match (width.parse(), height.parse()) {
        (Ok(width), Ok(height)) => Kind::Pixels(Some([width, height])),
        _ => Kind::Wrong(USAGE),
    }
}

/// The function behind attributes.
struct Entry<'a> {
    name: &'a str,
    /// The token that opens its parameters.
    parameters: usize,
    /// The tokens that close its parameters and open its body, if it has one.
    ends: Option<(usize, usize)>,
}

fn entry<'a>(tokens: &[(usize, &'a str)], from: usize) -> Option<Entry<'a>> {
    // The function's name comes before the first parenthesis outside of attributes.
    let mut depth = 0;
    for (next, (_, token)) in tokens.iter().enumerate().skip(from) {
        match *token {
            "[" => depth += 1,
            "]" => depth -= 1,
            "(" if depth == 0 => {
                let name = tokens[next - 1].1;
                let ends = ends(tokens, next);
                return is_name(name).then_some(Entry { name, parameters: next, ends });
            }
            "{" | ";" if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The parenthesis that closes the one at an index, and the brace behind it.
fn ends(tokens: &[(usize, &str)], open: usize) -> Option<(usize, usize)> {
    let mut depth = 0;
    let close = tokens.iter().enumerate().skip(open).find(|(_, (_, token))| {
        depth += i32::from(*token == "(") - i32::from(*token == ")");
        depth == 0
    })?;
    let behind = tokens.iter().enumerate().skip(close.0);
    let body = behind.take_while(|(_, it)| it.1 != ";").find(|(_, it)| it.1 == "{")?;
    Some((close.0, body.0))
}

/// Reads the attributes around `[test]`, which starts at an index; the parameters of the entry point start at another
/// one.
fn kind(text: &str, tokens: &[(usize, &str)], test: usize, parameters: usize) -> Kind {
    // Attributes before this one.
    let mut first = test;
    while first > 0 && tokens[first - 1].1 == "]" {
        let opening = tokens[..first].iter().rposition(|it| it.1 == "[");
        first = opening.unwrap_or(0);
    }
    let attributes = &tokens[first..parameters];
    let has = |name: &str| {
        let starts = |pair: &[(usize, &str)]| pair[0].1 == "[" && pair[1].1 == name;
        attributes.windows(2).position(starts)
    };
    if has("numthreads").is_some() {
        return Kind::Threads;
    }
    // Strings are not tokens.
    let Some(shader) = has("shader") else { return Kind::Open };
    let start = attributes[shader].0;
    let end = text[start..].find(']').map_or(text.len(), |it| start + it);
    match text[start..end].contains("\"pixel\"") {
        true => Kind::Pixels(None),
        false => Kind::Open,
    }
}

/// Whether a directive in the comment lines above makes the case a draw.
fn is_drawn_above(text: &str, at: usize) -> bool {
    let above = text[..at].rfind('\n').map_or("", |it| &text[..it]);
    let mut comments = above.lines().rev().map(str::trim).take_while(|it| it.starts_with("//"));
    comments.any(|it| {
        it.strip_prefix("//#").is_some_and(|it| it.split_whitespace().next() == Some("draw"))
    })
}

fn is_name(word: &str) -> bool {
    word.starts_with(|it: char| it.is_alphabetic() || it == '_')
}

/// Words and single characters, without comments and literals.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let is_word = |it: char| it.is_alphanumeric() || it == '_';
        let len = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(rest.len(), |it| it + 4)
        } else if first == '"' {
            let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |it| it + 2);
            end.min(rest.len())
        } else if is_word(first) {
            let len = rest.find(|it| !is_word(it)).unwrap_or(rest.len());
            tokens.push((at, &rest[..len]));
            len
        } else {
            let len = first.len_utf8();
            if !first.is_whitespace() {
                tokens.push((at, &rest[..len]));
            }
            len
        };
        at += len;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_found_outside_of_comments_and_strings() {
        let text = "// TEST_CASE(no)\n#include <wavelane.hlsli>\n/* TEST_CASE(no) */\nTEST_CASE(one) { }\n\
                    [test] [numthreads(4, 1, 1)]\nvoid two(uint i : SV_GroupIndex) {}\n\
                    #define TEST_CASE(x) \"TEST_CASE(no)\"\nTEST_CASE_N(three, 1, 1, 1) {}\n";
        let (found, compiled) = cases(text);
        let names: Vec<(&str, u32)> = found.iter().map(|it| (it.name.as_str(), it.line)).collect();
        assert_eq!(names, [("one", 4), ("two", 5), ("three", 8)]);
        assert!(found.iter().all(|it| it.kind == Kind::Threads));
        assert_eq!(compiled.len(), text.len());
        assert!(!compiled.contains("[test]"));
    }

    #[test]
    fn pixel_shaders_are_cases() {
        let header = "#include <wavelane.hlsli>\n";
        let read = |text: &str| {
            let (mut found, compiled) = cases(&format!("{header}{text}"));
            let compiled = compiled[header.len()..].to_owned();
            (found.pop().map(|it| (it.name, it.kind)), compiled)
        };
        let kind = |text: &str| read(text).0.map(|it| it.1);
        assert_eq!(kind("TEST_DRAW(a, 8, 4) {}"), Some(Kind::Pixels(Some([8, 4]))));
        assert_eq!(kind("TEST_DRAW(a) {}"), Some(Kind::Wrong(USAGE)));
        assert_eq!(kind("TEST_DRAW(a, N, 4) {}"), Some(Kind::Wrong(USAGE)));
        assert_eq!(kind("[test] void a() {}"), Some(Kind::Open));
        assert_eq!(kind("[test] [shader(\"compute\")] void a() {}"), Some(Kind::Open));
        assert_eq!(kind("[shader(\"pixel\")] [test] void a() {}"), Some(Kind::Pixels(None)));
        assert_eq!(kind("[numthreads(4, 1, 1)] [test] void a() {}"), Some(Kind::Threads));
        let (found, compiled) =
            read("[test] [shader(\"pixel\")] float4 a(int2 b) : SV_Target { x; }");
        assert_eq!(found, Some(("a".to_owned(), Kind::Pixels(None))));
        let expected = "       [shader(\"pixel\")] float4 a(int2 b, float2 wavelane_at : WAVELANE_AT) : \
                        SV_Target { wavelane_pixel = uint2(wavelane_at) + 1; x; }";
        assert_eq!(compiled, expected);
        assert!(read("//# draw 4x4\n[test] void a() {}").1.contains("a(float2 wavelane_at"));
        assert!(!read("// draw\n[test] void a() {}").1.contains("wavelane_at"));
    }
}
