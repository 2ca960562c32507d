//! Runs at every width, and what stands side by side afterwards.
//!
//! A run that spends its fuel is unfinished, not wrong: the page asks again with more, and between two requests it
//! looks whether the text has changed.

use std::sync::Arc;

use interp::{NoObserver, Program};
use ir::exec::{Bindings, Buffer, Failure, LaneOrder, Launch, Trap};
use ir::print::{PrintLog, Printed};
use ir::{Module, Resource, Span};
use serde_json::{Value, json};
use values::{Layout, number};

use crate::bind::{is_result, named};
use crate::place::Places;
use crate::{Flags, WIDTHS};

/// The lines that a program may print.
const MOST_PRINTED: usize = 256;
/// The scalars of a buffer that are shown.
const MOST_SHOWN: usize = 512;

/// The result of a run.
pub(crate) struct Outcome {
    pub(crate) ended: Result<(), Failure>,
    pub(crate) left: Bindings,
    pub(crate) printed: Printed,
    /// The fuel that it had.
    pub(crate) fuel: u64,
}

impl Outcome {
    /// Whether more fuel may give another result.
    pub(crate) fn is_unfinished(&self) -> bool {
        matches!(self.ended, Err(Failure::Trap(Trap::OutOfFuel { .. })))
    }
}

/// The launch that the flags ask for.
pub(crate) fn launch(flags: &Flags, module: &Module, width: u32, fuel: u64) -> Launch {
    Launch {
        lane_order: flags.lane_order.unwrap_or_else(|| LaneOrder::natural(module)),
        schedule: flags.schedule,
        fuel: Some(fuel),
        ..Launch::dispatch(flags.groups, width)
    }
}

/// Runs a program at one width.
pub(crate) fn run(
    program: &Program,
    module: &Module,
    mut launch: Launch,
    bindings: &Bindings,
) -> Outcome {
    let log = Arc::new(PrintLog::new(MOST_PRINTED));
    launch.prints = Some(log.clone());
    let mut left = bindings.clone();
    let ended = interp::run_program(program, &launch, &mut left, &mut NoObserver);
    let ended = ended.map_err(|failure| match failure {
        Failure::Trap(Trap::Deadlock { span }) if !ir::waits(module, span) => {
            Failure::Trap(Trap::Endless { span })
        }
        other => other,
    });
    let fuel = launch.fuel.unwrap_or(0);
    Outcome { ended, left, printed: log.read(&module.messages), fuel }
}

/// How a run ended, in words.
pub(crate) fn ended(outcome: &Outcome, places: &Places) -> Value {
    let (word, failure) = match &outcome.ended {
        Ok(()) => return json!({ "word": "done" }),
        Err(failure @ Failure::Unsupported(_)) => ("unsupported", failure),
        Err(failure @ Failure::Trap(Trap::OutOfFuel { .. })) => ("fuel", failure),
        Err(failure) => ("trap", failure),
    };
    let message = match failure {
        Failure::Unsupported(it) => it.missing.clone(),
        other => other.to_string(),
    };
    let span = span(failure);
    json!({ "word": word, "message": message, "range": places.range(span), "line": places.line(span) })
}

/// Where a run failed.
pub(crate) fn span(failure: &Failure) -> Span {
    match failure {
        Failure::Unsupported(_) => Span::NONE,
        Failure::TooLarge(it) => it.span,
        Failure::Trap(trap) => match trap {
            Trap::OutOfFuel { span }
            | Trap::Cancelled { span }
            | Trap::Deadlock { span }
            | Trap::Endless { span } => *span,
            Trap::OutOfMemory { .. } | Trap::DeviceLost { .. } => Span::NONE,
        },
    }
}

/// All widths side by side: `outcomes` are in the order of [`WIDTHS`], absent where nothing has run yet. With `bytes`,
/// buffers have all their bytes too, in hexadecimal.
pub(crate) fn table(
    module: &Module,
    outcomes: &[Option<&Outcome>],
    places: &Places,
    bytes: bool,
) -> Value {
    let widths = WIDTHS.iter().zip(outcomes).map(
        |(width, outcome)| json!({ "width": width, "ended": outcome.map(|it| ended(it, places)) }),
    );
    let printed = WIDTHS.iter().zip(outcomes).filter_map(|(width, outcome)| {
        let printed = &(*outcome)?.printed;
        (!printed.is_empty()).then(|| print(*width, printed, places))
    });
    json!({
        "widths": widths.collect::<Vec<Value>>(),
        "buffers": buffers(module, outcomes, bytes),
        "printed": printed.collect::<Vec<Value>>(),
    })
}

fn print(width: u32, printed: &Printed, places: &Places) -> Value {
    let line = |it: &ir::print::PrintedLine| {
        json!({
            "group": it.group, "wave": it.wave, "lane": it.lane, "text": it.text,
            "line": places.line(it.span),
        })
    };
    json!({
        "width": width,
        "lines": printed.lines.iter().map(line).collect::<Vec<Value>>(),
        "more": printed.more,
        "failures": printed.failures.iter().map(line).collect::<Vec<Value>>(),
        "more_failures": printed.more_failures,
    })
}

fn buffers(module: &Module, outcomes: &[Option<&Outcome>], bytes: bool) -> Vec<Value> {
    let mut rows = Vec::new();
    for (index, resource) in module.resources.iter().enumerate().filter(|(_, it)| is_result(it)) {
        let held = |outcome: &Outcome| outcome.left.bindings.get(index).map_or(0, Vec::len);
        let elements = outcomes.iter().flatten().map(|it| held(it)).max().unwrap_or(0);
        for element in 0..elements {
            let contents: Vec<Option<&Buffer>> = outcomes
                .iter()
                .map(|outcome| {
                    let outcome = outcome.filter(|it| it.ended.is_ok())?;
                    outcome.left.bindings.get(index)?.get(element)
                })
                .collect();
            let mut row = row(resource, element, &contents);
            if bytes {
                row["bytes"] = contents.iter().map(|it| it.map(hexadecimal)).collect();
            }
            rows.push(row);
        }
    }
    rows
}

/// One buffer at all widths: `=` where a width agrees with the majority, `≠` where not.
fn row(resource: &Resource, element: usize, contents: &[Option<&Buffer>]) -> Value {
    let majority = majority(contents);
    let format = majority.and_then(|it| it.what.format());
    let layout = Layout::of(&resource.kind, format);
    let each = layout.scalars.len();
    let marks: Vec<Option<&str>> =
        contents.iter().map(|it| Some(if (*it)? == majority? { "=" } else { "≠" })).collect();
    let bytes = majority.map_or(0, |it| it.bytes.len());
    let count = bytes / layout.stride * each;
    let shown = |it: &Buffer| -> Vec<String> {
        (0..count.min(MOST_SHOWN)).map(|at| text(&layout, it, at)).collect()
    };
    let values: Vec<Option<Vec<String>>> = contents.iter().map(|it| it.map(shown)).collect();
    let differs = |at: &usize| {
        let scalar = |it: &Buffer| bits(&layout, it, *at);
        let wanted = majority.map(scalar);
        contents.iter().flatten().any(|it| Some(scalar(it)) != wanted)
    };
    // Most buffers agree: only where one does not, its scalars are looked through.
    let first = marks.contains(&Some("≠")).then(|| (0..count).find(differs)).flatten();
    let counters: Vec<Option<u32>> = contents.iter().map(|it| (*it)?.what.counter()).collect();
    let name = named(resource, element);
    json!({
        "name": name,
        "label": format!("{name}[0..{}]", bytes / layout.stride),
        "element": layout.to_string(),
        "each": each,
        "count": count,
        "marks": marks,
        "values": values,
        "first": first.map(|it| format!("{name}[{}]", it / each)),
        "counters": resource.kind.view().counter.then_some(counters),
    })
}

fn hexadecimal(buffer: &Buffer) -> String {
    let digit = |it: u8| char::from(b"0123456789abcdef"[usize::from(it)]);
    buffer.bytes.iter().flat_map(|it| [digit(it >> 4), digit(it & 15)]).collect()
}

/// What most widths have; of two that are equally frequent, the one at the smaller width.
fn majority<'a>(contents: &[Option<&'a Buffer>]) -> Option<&'a Buffer> {
    let all = || contents.iter().flatten().copied();
    let votes = |it: &Buffer| all().filter(|other| *other == it).count();
    let most = all().map(votes).max()?;
    all().find(|it| votes(it) == most)
}

fn text(layout: &Layout, buffer: &Buffer, at: usize) -> String {
    let scalar = layout.scalars[at % layout.scalars.len()].1;
    bits(layout, buffer, at).map_or_else(String::new, |it| number::text(it, scalar))
}

fn bits(layout: &Layout, buffer: &Buffer, at: usize) -> Option<u64> {
    let each = layout.scalars.len();
    let (offset, scalar) = layout.scalars[at % each];
    let bytes = buffer.bytes.get(at / each * layout.stride + offset..)?;
    (bytes.len() >= scalar.bytes()).then(|| number::read(bytes, scalar))
}
