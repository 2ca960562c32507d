//! Passes that put something else in a place: operands, constants, bodies of functions, narrower types.

use std::ops::Range;

use crate::edit::Edit;
use crate::tree::{Call, Func, Tree};
use crate::word::{Kind, value, words};

/// Expressions by their operands, then by constants.
pub(crate) fn expressions(text: &str, tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for node in &tree.nodes {
        for part in &node.parts {
            edits.push(Edit::replace(node.at.clone(), &text[part.clone()]));
            // An operand of a method or of an operator may need its parentheses.
            edits.push(Edit::replace(node.at.clone(), format!("({})", &text[part.clone()])));
        }
        edits.extend(node.shorter.iter().cloned().map(Edit::cut));
        if !node.is_literal {
            edits.push(Edit::replace(node.at.clone(), "0"));
            edits.push(Edit::replace(node.at.clone(), "1"));
        }
    }
    edits
}

/// Functions that are nothing but a result, or that are called for what they do, by their bodies; they go with their
/// last call.
pub(crate) fn inlined(text: &str, tree: &Tree) -> Vec<Edit> {
    let functions = tree.unique_functions();
    functions.iter().filter_map(|function| inline(text, tree, function)).collect()
}

fn inline(text: &str, tree: &Tree, function: &Func) -> Option<Edit> {
    let is_inside = |at: &Range<usize>| function.at.start <= at.start && at.end <= function.at.end;
    let is_one = |it: &&Call| it.name == function.name && it.args.len() == function.params.len();
    let mut calls: Vec<&Call> = tree.calls.iter().filter(is_one).collect();
    // A statement that is a call stands there twice.
    let whole: Vec<Range<usize>> =
        calls.iter().filter(|it| it.statement.is_some()).map(|it| it.at.clone()).collect();
    calls.retain(|it| it.statement.is_some() || !whole.contains(&it.at));
    // Calls within calls, and recursion.
    let is_nested = |it: &Call| {
        calls.iter().any(|other| other.at.start < it.at.start && it.at.end <= other.at.end)
    };
    if calls.is_empty() || calls.iter().any(|it| is_inside(&it.at) || is_nested(it)) {
        return None;
    }
    let mut parts = vec![(function.at.clone(), String::new())];
    for call in calls {
        let args: Vec<&str> = call.args.iter().map(|it| &text[it.clone()]).collect();
        let (at, by) = match (&function.result, &call.statement) {
            (Some(result), _) => {
                let body = substituted(&text[result.clone()], |name| {
                    let index = function.params.iter().position(|it| it.name == name)?;
                    Some(grouped(args[index]))
                });
                (call.at.clone(), grouped(&body))
            }
            (None, Some(statement)) if !function.returns => {
                let mut block = "{ ".to_owned();
                let is_out = function.params.iter().any(|it| it.is_out);
                for (param, arg) in function.params.iter().zip(&args) {
                    if !is_out {
                        let ty = &text[param.ty.clone()];
                        block.push_str(&format!("{ty} {} = {arg}; ", param.name));
                    }
                }
                let body = &text[function.body.clone()];
                match is_out {
                    true => block.push_str(&substituted(body, |name| {
                        let index = function.params.iter().position(|it| it.name == name)?;
                        Some(args[index].to_owned())
                    })),
                    false => block.push_str(body),
                }
                block.push_str(" }");
                (statement.clone(), block)
            }
            (None, _) => return None,
        };
        parts.push((at, by));
    }
    Edit::all(parts)
}

/// In parentheses, unless it is one word.
fn grouped(text: &str) -> String {
    let text = text.trim();
    let is_whole = text.starts_with('(') && closes_at_end(text);
    if is_whole || words(text).len() <= 1 { text.to_owned() } else { format!("({text})") }
}

/// Whether the first parenthesis is closed by the last character.
fn closes_at_end(text: &str) -> bool {
    let mut depth = 0;
    for (place, letter) in text.char_indices() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        if depth == 0 {
            return place + letter.len_utf8() == text.len();
        }
    }
    false
}

/// A text with names replaced; a name after `.` is a member and stays.
fn substituted(text: &str, by: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::new();
    let mut at = 0;
    for word in words(text).iter().filter(|it| it.kind == Kind::Name) {
        let is_member = text[..word.at.start].trim_end().ends_with('.');
        let Some(new) = by(&text[word.at.clone()]).filter(|_| !is_member) else { continue };
        result.push_str(&text[at..word.at.start]);
        result.push_str(&new);
        at = word.at.end;
    }
    result.push_str(&text[at..]);
    result
}

/// Parameters with their arguments.
pub(crate) fn parameters(text: &str, tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for function in tree.unique_functions() {
        for index in (0..function.params.len()).rev() {
            let places: Vec<Range<usize>> =
                function.params.iter().map(|it| it.at.clone()).collect();
            let mut cuts = vec![(with_comma(text, &places, index), String::new())];
            let mut seen: Vec<&Range<usize>> = Vec::new();
            for call in tree.calls.iter().filter(|it| it.name == function.name) {
                if !seen.contains(&&call.at) && index < call.args.len() {
                    cuts.push((with_comma(text, &call.args, index), String::new()));
                    seen.push(&call.at);
                }
            }
            edits.extend(Edit::all(cuts));
        }
    }
    edits
}

/// One of several places with a comma beside it.
fn with_comma(text: &str, places: &[Range<usize>], index: usize) -> Range<usize> {
    let at = &places[index];
    if index > 0 {
        let comma = text[..at.start].rfind(',').unwrap_or(at.start);
        return comma.max(places[index - 1].end)..at.end;
    }
    match places.get(1) {
        Some(next) => at.start..next.start,
        None => at.clone(),
    }
}

/// Local variables by what initialises them.
pub(crate) fn variables(text: &str, tree: &Tree) -> Vec<Edit> {
    let mut edits = Vec::new();
    for local in tree.locals.iter().rev() {
        let by = grouped(&text[local.value.clone()]);
        let rest = local.at.end..local.end;
        let uses = words(&text[rest.clone()]);
        let uses = uses.iter().filter(|it| {
            let is_member = text[..rest.start + it.at.start].trim_end().ends_with('.');
            it.kind == Kind::Name && text[rest.clone()][it.at.clone()] == local.name && !is_member
        });
        let mut parts = vec![(local.at.clone(), String::new())];
        parts.extend(uses.map(|it| (rest.start + it.at.start..rest.start + it.at.end, by.clone())));
        edits.extend(Edit::all(parts));
    }
    edits
}

/// Integers by smaller ones.
pub(crate) fn numbers(text: &str) -> Vec<Edit> {
    let mut edits = Vec::new();
    for word in words(text).into_iter().filter(|it| it.kind == Kind::Number) {
        let spelled = &text[word.at.clone()];
        match value(spelled) {
            Some(0) => {}
            Some(number) => {
                let mut smaller = vec![0, 1, number / 2, number.saturating_sub(1)];
                smaller.retain(|it| *it < number);
                smaller.dedup();
                for it in smaller {
                    edits.push(Edit::replace(word.at.clone(), it.to_string()));
                }
            }
            None => {
                for it in ["0", "1"] {
                    edits.push(Edit::replace(word.at.clone(), it));
                }
            }
        }
    }
    edits
}

/// Scalars of numbers, each with a narrower one.
const NARROWER: [(&str, &str); 13] = [
    ("uint64_t", "uint"),
    ("int64_t", "int"),
    ("double", "float"),
    ("float16_t", "float"),
    ("uint16_t", "uint"),
    ("int16_t", "int"),
    ("min16float", "float"),
    ("min16uint", "uint"),
    ("min16int", "int"),
    ("float64_t", "float"),
    ("float32_t", "float"),
    ("uint32_t", "uint"),
    ("int32_t", "int"),
];

/// Types by narrower ones: a word everywhere, then in each place. Vectors become scalars, matrices vectors.
pub(crate) fn types(text: &str) -> Vec<Edit> {
    let all = words(text);
    let names: Vec<&Range<usize>> =
        all.iter().filter(|it| it.kind == Kind::Name).map(|it| &it.at).collect();
    let mut distinct: Vec<(&str, Vec<String>)> = Vec::new();
    for name in &names {
        let spelled = &text[(*name).clone()];
        let by = narrower(spelled);
        if !by.is_empty() && !distinct.iter().any(|it| it.0 == spelled) {
            distinct.push((spelled, by));
        }
    }
    let mut edits = Vec::new();
    for (spelled, by) in &distinct {
        for by in by {
            let uses = names.iter().filter(|it| text[(**it).clone()] == **spelled);
            edits.extend(Edit::all(uses.map(|it| ((*it).clone(), by.clone())).collect()));
        }
    }
    for name in &names {
        for by in narrower(&text[(*name).clone()]) {
            edits.push(Edit::replace((*name).clone(), by));
        }
    }
    edits
}

/// The types to try for one, the scalar first.
fn narrower(spelled: &str) -> Vec<String> {
    const SCALARS: [&str; 6] = ["float", "uint", "int", "bool", "half", "dword"];
    let scalars = SCALARS.into_iter().chain(NARROWER.iter().map(|it| it.0));
    let found = scalars.filter_map(|it| Some((it, spelled.strip_prefix(it)?)));
    let Some((scalar, shape)) = found.max_by_key(|it| it.0.len()) else { return Vec::new() };
    let is_shape =
        matches!(shape.as_bytes(), [] | [b'1'..=b'4'] | [b'1'..=b'4', b'x', b'1'..=b'4']);
    if !is_shape {
        return Vec::new();
    }
    let narrow = NARROWER.iter().find(|it| it.0 == scalar).map(|it| it.1);
    let mut by = Vec::new();
    if !shape.is_empty() {
        by.extend(narrow.map(str::to_owned));
        by.push(scalar.to_owned());
    }
    match shape.as_bytes() {
        [rows, b'x', _] => by.push(format!("{scalar}{}", *rows as char)),
        [count] if *count > b'2' => by.push(format!("{scalar}2")),
        _ => {}
    }
    by.extend(narrow.map(|it| format!("{it}{shape}")));
    by
}
