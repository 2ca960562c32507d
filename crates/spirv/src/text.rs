//! A human-readable listing of a module: one instruction per line, with symbolic ids and enumerants. It accepts any
//! words, and marks those that it does not know.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::opcode::{self as op, Opcode};

/// The listing of a module's words.
pub fn listing(words: &[u32]) -> String {
    let mut text = String::new();
    let [_, version, _, bound, _, body @ ..] = words else {
        return "; not a SPIR-V module: the header is too short\n".to_owned();
    };
    let (major, minor) = (version >> 16 & 0xff, version >> 8 & 0xff);
    let _ = writeln!(text, "; SPIR-V {major}.{minor}, ids below {bound}");
    let names = names(body);
    let sets = sets(body);
    let mut rest = body;
    while let Some((opcode, operands, after)) = split(rest) {
        let found = op::ALL.iter().find(|it| u32::from(it.number) == opcode);
        match found {
            Some(found) => text.push_str(&line(*found, operands, &names, &sets)),
            None => {
                let _ = writeln!(text, "    ; unknown instruction {opcode}");
            }
        }
        rest = after;
    }
    if !rest.is_empty() {
        text.push_str("; the last instruction is truncated\n");
    }
    text
}

/// The first instruction's number and operands, and the words after it.
fn split(words: &[u32]) -> Option<(u32, &[u32], &[u32])> {
    let first = *words.first()?;
    let count = (first >> 16) as usize;
    if count == 0 || count > words.len() {
        return None;
    }
    Some((first & 0xffff, &words[1..count], &words[count..]))
}

/// The names in the module; a name that occurs twice gets its id appended.
fn names(body: &[u32]) -> BTreeMap<u32, String> {
    let mut names = BTreeMap::new();
    let mut seen = std::collections::BTreeSet::new();
    let mut rest = body;
    while let Some((opcode, operands, after)) = split(rest) {
        if let (true, [id, name @ ..]) = (opcode == u32::from(op::NAME.number), operands) {
            let (name, _) = string(name);
            let new = !name.is_empty() && seen.insert(name.clone());
            names.insert(*id, if new { format!("%{name}") } else { format!("%{name}.{id}") });
        }
        rest = after;
    }
    names
}

/// The names of the sets of extended instructions.
fn sets(body: &[u32]) -> BTreeMap<u32, String> {
    let mut sets = BTreeMap::new();
    let mut rest = body;
    while let Some((opcode, operands, after)) = split(rest) {
        if let (true, [id, name @ ..]) = (opcode == u32::from(op::EXT_INST_IMPORT.number), operands)
        {
            sets.insert(*id, string(name).0);
        }
        rest = after;
    }
    sets
}

/// The string at the start of the words, and the words after it.
fn string(words: &[u32]) -> (String, &[u32]) {
    let has_end = |word: &u32| word.to_le_bytes().contains(&0);
    let end = words.iter().position(has_end).map_or(words.len(), |it| it + 1);
    let bytes: Vec<u8> = words[..end].iter().flat_map(|it| it.to_le_bytes()).collect();
    let text = bytes.split(|it| *it == 0).next().unwrap_or(&[]);
    (String::from_utf8_lossy(text).into_owned(), &words[end..])
}

fn line(
    opcode: Opcode,
    operands: &[u32],
    names: &BTreeMap<u32, String>,
    sets: &BTreeMap<u32, String>,
) -> String {
    let id = |id: u32| names.get(&id).cloned().unwrap_or_else(|| format!("%{id}"));
    let named = |table, number| {
        op::name_of(table, number).map_or_else(|| number.to_string(), str::to_owned)
    };
    let (mut result, mut ty, mut shown) = (None, None, Vec::new());
    let mut rest = operands;
    let mut layout = opcode.layout.chars().peekable();
    let mut decoration = 0;
    while let (Some(kind), [first, after @ ..]) = (layout.peek().copied(), rest) {
        rest = after;
        let repeats = matches!(kind, 'I' | 'L' | 'P' | 'B');
        if !repeats {
            layout.next();
        }
        match kind {
            'T' => ty = Some(id(*first)),
            'R' => result = Some(id(*first)),
            'i' | 'I' => shown.push(id(*first)),
            'l' | 'L' => shown.push(first.to_string()),
            'P' => {
                shown.push(first.to_string());
                if let [label, after @ ..] = rest {
                    shown.push(id(*label));
                    rest = after;
                }
            }
            's' => {
                let (text, after) = string(operands.split_at(operands.len() - rest.len() - 1).1);
                // Source texts are abbreviated.
                let short: String = text.chars().take(60).collect();
                shown.push(format!("{short:?}{}", if short.len() < text.len() { "…" } else { "" }));
                rest = after;
            }
            'C' => shown.push(named(op::CAPABILITIES, *first)),
            'D' => {
                decoration = *first;
                shown.push(named(op::DECORATIONS, *first));
            }
            'S' => shown.push(named(op::STORAGE_CLASSES, *first)),
            'M' => shown.push(named(op::EXECUTION_MODES, *first)),
            'B' if decoration == op::BUILT_IN => shown.push(named(op::BUILT_INS, *first)),
            _ => shown.push(first.to_string()),
        }
    }
    if opcode == op::EXT_INST
        && let Some(function) = operands.get(3)
    {
        // The other sets that we use have one instruction each, of the same name.
        let set = operands.get(2).and_then(|it| sets.get(it));
        shown[1] = match set.and_then(|it| it.strip_prefix("NonSemantic.")) {
            Some(name) => name.to_owned(),
            None => named(op::GLSL, *function),
        };
    }
    let mut text = match &result {
        Some(result) => format!("{result:>12} = {}", opcode.name),
        None => format!("{:>15}{}", "", opcode.name),
    };
    for word in ty.iter().chain(&shown) {
        text.push(' ');
        text.push_str(word);
    }
    text.push('\n');
    text
}
