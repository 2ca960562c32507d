//! How a reduced text looks: without comments, a statement on each line, indented.

use crate::word::{Kind, words};

/// The text without comments, empty lines and spaces at the ends of lines.
pub(crate) fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut at = 0;
    for comment in words(text).iter().filter(|it| it.kind == Kind::Comment) {
        kept.push_str(&text[at..comment.at.start]);
        // A comment separates words.
        kept.push(' ');
        at = comment.at.end;
    }
    kept.push_str(&text[at..]);
    let lines = kept.lines().map(str::trim_end).filter(|it| !it.is_empty());
    lines.flat_map(|it| [it, "\n"]).collect()
}

/// The text with a statement on each line.
pub(crate) fn tidy(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let (mut depth, mut open) = (0usize, 0usize);
    let mut end = 0;
    let all = words(text);
    for (index, word) in all.iter().enumerate() {
        let spelled = &text[word.at.clone()];
        if word.kind == Kind::Directive {
            flush(&mut lines, &mut line, depth);
            lines.push(spelled.to_owned());
            end = word.at.end;
            continue;
        }
        match spelled {
            "(" | "[" => open += 1,
            ")" | "]" => open = open.saturating_sub(1),
            "}" if open == 0 => {
                flush(&mut lines, &mut line, depth);
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        let is_tight = matches!(spelled, ";" | "," | ")" | "]") || line.ends_with(['(', '[']);
        if !line.is_empty() && word.at.start > end && !is_tight {
            line.push(' ');
        }
        line.push_str(spelled);
        end = word.at.end;
        let next = all.get(index + 1).map(|it| &text[it.at.clone()]);
        let ends = open == 0
            && match spelled {
                "{" | ";" => true,
                "}" => !matches!(next, Some(";" | "," | ")" | "else" | "while")),
                _ => false,
            };
        // An attribute.
        let ends_attribute = open == 0 && spelled == "]" && line.starts_with('[') && depth == 0;
        if ends || ends_attribute || word.kind == Kind::Comment {
            flush(&mut lines, &mut line, depth);
        }
        if spelled == "{" && open == 0 {
            depth += 1;
        }
    }
    flush(&mut lines, &mut line, depth);
    lines.iter().flat_map(|it| [it.as_str(), "\n"]).collect()
}

fn flush(lines: &mut Vec<String>, line: &mut String, depth: usize) {
    if !line.is_empty() {
        lines.push(format!("{:1$}{line}", "", 4 * depth));
        line.clear();
    }
}
