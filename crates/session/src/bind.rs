//! Where breakpoints stop: the statements that a line or the name of a function selects.

use std::collections::{BTreeMap, BTreeSet};

use diag::{SourceMap, Span};
use ir::notes::Note;
use ir::{Module, Region};

/// A place at which waves stop.
#[derive(Clone, Debug, Default)]
pub struct Breakpoint {
    /// Its file; empty for the main file. The path may have more folders in front than the program has it with, or
    /// fewer: of several files with the same end of their paths, the one with the longest match is chosen.
    pub file: String,
    pub line: u32,
    /// The name of a function, instead of a file and a line. Waves stop where a function of the program begins, and
    /// before statements that call a function of the language.
    pub function: Option<String>,
    /// An expression that must hold in an active lane; in all of them, if it is `all(…)`.
    pub condition: Option<String>,
}

/// A breakpoint with the statements that it selects.
pub(crate) struct Bound {
    pub(crate) breakpoint: Breakpoint,
    pub(crate) spans: BTreeSet<(u32, u32)>,
    /// The line of the first.
    pub(crate) line: Option<u32>,
}

fn key(span: Span) -> (u32, u32) {
    (span.lo, span.hi)
}

pub(crate) fn bind(breakpoint: Breakpoint, module: &Module, sources: &SourceMap) -> Bound {
    let (spans, line) = match &breakpoint.function {
        None => of_line(&breakpoint, module, sources),
        Some(name) => {
            let mut spans = begins(name, module);
            if spans.is_empty() {
                calls(name, module, sources, module.body, None, &mut spans);
            }
            let first = spans.iter().next().and_then(|it| sources.location(Span::new(it.0, it.1)));
            (spans, first.map(|it| it.line))
        }
    };
    Bound { breakpoint, spans, line }
}

/// The statements of the line, or of the next one on which a statement begins.
fn of_line(
    breakpoint: &Breakpoint,
    module: &Module,
    sources: &SourceMap,
) -> (BTreeSet<(u32, u32)>, Option<u32>) {
    let mut lines = lines(&breakpoint.file, module, sources).split_off(&breakpoint.line);
    match lines.pop_first() {
        Some((line, spans)) => (spans, Some(line)),
        None => (BTreeSet::new(), None),
    }
}

/// The statements of a file by the lines on which they begin.
pub(crate) fn lines(
    path: &str,
    module: &Module,
    sources: &SourceMap,
) -> BTreeMap<u32, BTreeSet<(u32, u32)>> {
    let wanted = file_named(path, sources);
    let mut lines: BTreeMap<u32, BTreeSet<(u32, u32)>> = BTreeMap::new();
    for inst in &module.insts {
        let ir::Op::Note(note) = &inst.op else { continue };
        let Note::Statement { .. } = **note else { continue };
        let Some(place) = sources.location(inst.span) else { continue };
        if Some(&*place.file) == wanted {
            lines.entry(place.line).or_default().insert(key(inst.span));
        }
    }
    lines
}

/// The first statement of a function of the program: all its calls have the same one.
fn begins(name: &str, module: &Module) -> BTreeSet<(u32, u32)> {
    let mut first: Option<(u32, u32)> = None;
    for inst in &module.insts {
        let ir::Op::Note(note) = &inst.op else { continue };
        let Note::Statement { scope, .. } = **note else { continue };
        if module.notes.scope(scope).function == name {
            let own = key(inst.span);
            first = Some(first.map_or(own, |it| it.min(own)));
        }
    }
    first.into_iter().collect()
}

/// The statements of a region with instructions whose text is a call of that name.
fn calls(
    name: &str,
    module: &Module,
    sources: &SourceMap,
    region: Region,
    mut statement: Option<Span>,
    found: &mut BTreeSet<(u32, u32)>,
) {
    for inst in &module.regions[region.index()].insts {
        let inst = module.inst(*inst);
        if let ir::Op::Note(note) = &inst.op {
            if let Note::Statement { .. } = **note {
                statement = Some(inst.span);
            }
            continue;
        }
        if let Some(statement) = statement
            && is_call(sources.text(inst.span), name)
        {
            found.insert(key(statement));
        }
        for inner in inst.op.regions() {
            calls(name, module, sources, inner, statement, found);
        }
    }
}

/// Whether a text is a call of a function or a method.
fn is_call(text: &str, name: &str) -> bool {
    let Some((callee, _)) = text.split_once('(') else { return false };
    let callee = callee.split('<').next().unwrap_or(callee);
    callee.rsplit('.').next().is_some_and(|it| it.trim() == name)
}

/// The name of the file that a path means.
fn file_named<'a>(path: &str, sources: &'a SourceMap) -> Option<&'a str> {
    let mut names = sources.files().map(|it| &*it.1.name);
    if path.is_empty() {
        return names.next();
    }
    let common = names.filter_map(|it| Some((common_end(it, path)?, it)));
    // Of two that fit equally well, the first.
    common.reduce(|best, it| if it.0 > best.0 { it } else { best }).map(|it| it.1)
}

/// The number of components that two paths to one file have in common at their ends; `None` if they cannot be one file.
/// The shorter one must be the end of the longer, except for the folder that it begins in.
fn common_end(a: &str, b: &str) -> Option<usize> {
    let components = |path: &str| -> Vec<String> {
        let path = path.replace('\\', "/");
        let all = path.split('/').filter(|it| !it.is_empty() && *it != ".");
        all.skip_while(|it| *it == "..").map(str::to_owned).collect()
    };
    let (a, b) = (components(a), components(b));
    let count = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    (count > 0 && count == a.len().min(b.len())).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_mean_one_file_if_one_is_the_end_of_the_other() {
        assert_eq!(common_end("a.hlsl", "/any/where/a.hlsl"), Some(1));
        assert_eq!(common_end("./src/a.hlsl", "C:\\x\\src\\a.hlsl"), Some(2));
        assert_eq!(common_end("../lib/a.hlsl", "/home/lib/a.hlsl"), Some(2));
        assert_eq!(common_end("a.hlsl", "data.hlsl"), None);
        assert_eq!(common_end("x/a.hlsl", "y/a.hlsl"), None);
        assert_eq!(common_end("", "a.hlsl"), None);
    }

    #[test]
    fn calls_are_distinguished_by_their_text() {
        assert!(is_call("WaveReadLaneAt(x, 3)", "WaveReadLaneAt"));
        assert!(is_call("Out.Load<uint> (4)", "Load"));
        assert!(!is_call("WaveReadLaneAt(x, 3)", "WaveReadLane"));
        assert!(!is_call("f(WaveReadLaneAt(x, 3))", "WaveReadLaneAt"));
        assert!(!is_call("x + 1", "x"));
    }
}
