//! Reports accesses that had no effect, in one line: robust buffer access hides them, and only a wrong result shows.

use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use wavelane::internal::{Counting, Missed};
use wavelane::{ComputePipeline, Dispatch, ResourceTable};

use crate::value::counted;

/// The wave-instructions that may be run from either end of a dispatch to count what misses.
// PERF: on a separate thread it takes no longer than the start of the process.
const FUEL: u64 = 1 << 14;

/// Room for shaders that nest deeply; only the part that is used takes memory.
const STACK: usize = 64 << 20;

/// Counts what misses in the dispatch, which has not run yet, while it runs.
pub(super) fn count(
    pipeline: &ComputePipeline,
    dispatch: &Dispatch,
    table: &ResourceTable,
) -> Option<JoinHandle<Option<Missed>>> {
    let counting = Counting::of(pipeline, dispatch, table, FUEL)?;
    let thread = thread::Builder::new().name("count".to_owned()).stack_size(STACK);
    thread.spawn(|| counting.count()).ok()
}

/// The counts when the dispatch has ended.
pub(super) fn counted_by(counting: Option<JoinHandle<Option<Missed>>>) -> Option<Missed> {
    counting?.join().ok().flatten()
}

/// One line that reports the accesses that missed.
pub(super) fn told(missed: &Missed) -> Option<String> {
    if missed.is_empty() {
        return None;
    }
    let mut parts = Vec::new();
    let plain = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    let verb = |count: u64| if count == 1 { "was" } else { "were" };
    for (name, beyond) in &missed.beyond {
        if beyond.writes > 0 {
            let count = counted(plain(beyond.writes), "write");
            let verb = verb(beyond.writes);
            parts.push(format!("{count} beyond the end of `{name}` {verb} dropped"));
        }
        if beyond.reads > 0 {
            let count = counted(plain(beyond.reads), "read");
            parts.push(format!("{count} beyond the end of `{name}` gave 0"));
        }
    }
    if missed.inactive > 0 {
        let (lanes, of) = match missed.inactive {
            1 => ("read", "an inactive lane"),
            _ => ("reads", "inactive lanes"),
        };
        parts.push(format!("{} {lanes} of {of} gave 0", missed.inactive));
    }
    let least = if missed.is_partial { "at least " } else { "" };
    Some(format!("{least}{}; wavelane san shows them", parts.join(", ")))
}

pub(super) fn as_json(missed: &Missed) -> Value {
    let beyond = missed
        .beyond
        .iter()
        .map(|(name, it)| json!({ "name": name, "reads": it.reads, "writes": it.writes }));
    json!({
        "beyond": beyond.collect::<Vec<_>>(),
        "inactive": missed.inactive,
        "partial": missed.is_partial,
    })
}
