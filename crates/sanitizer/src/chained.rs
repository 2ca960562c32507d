//! The finding about a difference as a chain from its cause to the result: which runs are repeated and recorded, and
//! how the links are put into words.
//!
//! A record has the values of one group, so that runs are repeated for each group into which the chain leads.

use std::collections::VecDeque;

use diag::Span;
use ir::exec::{Bindings, Failure, Trap};
use ir::{Inst, Module, Op, Value};
use ops::wave::Sees;
use ops::{Binary, Compare, LaneMask, Ty, WaveOp};

use crate::chain::{Between, Hop, Link, Rank, Walk, What};
use crate::compare::{self, Difference, Side, Writer, describe, in_words, of_type};
use crate::facts::{self, Facts};
use crate::finding::{Finding, Kind, Site};
use crate::hash::HashSet;
use crate::marked::Marked;
use crate::record::{Cell, Record};
use crate::slice;
use crate::sweep::on_threads;

/// How often the runs are repeated for another group.
const MOST_GROUPS: usize = 6;

/// The groups whose values are recorded: of the right run, the wrong one, and the other right one.
type Groups = [[u32; 3]; 3];

/// A chain, how good it is, and the group in which it ends.
struct Found {
    rank: Rank,
    chain: Vec<Link>,
    group: [u32; 3],
}

/// The finding, if the runs can be followed so far. `right` are runs that agree with the first one.
pub(crate) fn explain(
    facts: &Facts<'_>,
    sides: [&Side<'_>; 2],
    (kind, difference, what): (Kind, Difference, &str),
    writers: &[Writer],
    right: &[Side<'_>],
    slice: &HashSet<Inst>,
) -> Result<Option<Finding>, Failure> {
    let [one, _] = writers else { return Ok(None) };
    let between = between(sides);
    let third = third(sides[0], right, between);
    let groups = [one.group; 3];
    let found = follow(facts, (sides, third), (difference, between), groups, slice)?;
    Ok(found.and_then(|it| report(facts, sides, (kind, difference, what), it)))
}

fn between([a, b]: [&Side<'_>; 2]) -> Between {
    if a.launch.wave_width != b.launch.wave_width {
        Between::Widths
    } else if a.launch.lane_order != b.launch.lane_order {
        Between::Lanes
    } else if a.variation.search != b.variation.search {
        Between::Rays
    } else {
        Between::Orders
    }
}

/// Another of the runs that agree: of widths, the one nearest to the first.
fn third<'s>(a: &Side<'_>, right: &'s [Side<'s>], between: Between) -> Option<&'s Side<'s>> {
    let width = |it: &Side<'_>| it.launch.wave_width.trailing_zeros();
    match between {
        Between::Widths => {
            let others = right.iter().filter(|it| width(it) != width(a));
            others.min_by_key(|it| width(it).abs_diff(width(a)))
        }
        Between::Orders | Between::Rays => right.first(),
        // In each, different threads meet.
        Between::Lanes => None,
    }
}

/// The best chain to a difference.
fn follow(
    facts: &Facts<'_>,
    ([a, b], third): ([&Side<'_>; 2], Option<&Side<'_>>),
    (difference, between): (Difference, Between),
    groups: Groups,
    slice: &HashSet<Inst>,
) -> Result<Option<Found>, Failure> {
    let marked = Marked::in_step(facts.module);
    let record =
        |side: &Side<'_>, group: [u32; 3]| record((facts.module, &marked), side, group, slice);
    let place = match difference.byte {
        u64::MAX => Cell::Counter(difference.binding),
        byte => Cell::Buffer(difference.binding, difference.element, byte),
    };
    let mut open = VecDeque::from([Hop::to(place, groups)]);
    let mut visited: Vec<Groups> = Vec::new();
    let mut best: Option<Found> = None;
    while let Some(hop) = open.pop_front().filter(|_| visited.len() < MOST_GROUPS) {
        let groups = hop.groups;
        visited.push(groups);
        let all = [Some(a), Some(b), third];
        let all: Vec<_> = all.into_iter().flatten().zip(groups).collect();
        let one = |at: usize| record(all[at].0, all[at].1);
        let is_whole = |it: &Result<Option<_>, Failure>| matches!(it, Ok(Some(_)));
        let mut records = on_threads(a.threads, all.len(), one, is_whole).into_iter();
        let Some(Some((mine, left))) = records.next().transpose()? else { break };
        let Some(Some((theirs, again))) = records.next().transpose()? else { break };
        // A schedule that counts instructions may be another one where there are marks.
        if left == again {
            break;
        }
        let third = records.next().transpose()?.flatten().map(|it| it.0);
        let walk = Walk::new(facts, &marked, &mine, &theirs, third.as_ref(), between);
        let (found, hops) = walk.from(&hop);
        if let Some((rank, chain)) = found
            && best.as_ref().is_none_or(|it| rank < it.rank)
        {
            best = Some(Found { rank, chain, group: groups[1] });
        }
        if best.as_ref().is_some_and(|it| it.rank <= Rank::Numbering) {
            break;
        }
        open.extend(hops.into_iter().filter(|it| !visited.contains(&it.groups)));
    }
    Ok(best)
}

/// The record of a group in a run, and the results of the run; `None` if it does not end, or is too long.
fn record<'r>(
    (module, marked): (&'r Module, &'r Marked),
    side: &Side<'_>,
    group: [u32; 3],
    slice: &'r HashSet<Inst>,
) -> Result<Option<(Record<'r>, Bindings)>, Failure> {
    // The marks are instructions too.
    let fuel = side.launch.fuel.map(|it| it.saturating_mul(8));
    let launch = &ir::exec::Launch { fuel, prints: None, spent: None, ..side.launch.clone() };
    let mut record = Record::new(module, marked, slice, launch, group);
    let mut bindings = side.bindings.clone();
    let program = &marked.program;
    let ended = interp::run_varied(program, launch, side.variation, &mut bindings, &mut record);
    match ended {
        Ok(()) => Ok(Some((record, bindings)).filter(|it| it.0.is_whole())),
        Err(failure @ Failure::Trap(Trap::Cancelled { .. })) => Err(failure),
        Err(_) => Ok(None),
    }
}

/// The finding of a chain; `None` if that does not end at a cause.
fn report(
    facts: &Facts<'_>,
    [a, b]: [&Side<'_>; 2],
    (kind, difference, what): (Kind, Difference, &str),
    Found { rank, chain, group }: Found,
) -> Option<Finding> {
    let module = facts.module;
    let (cause, way) = chain.split_last()?;
    let ends_well = match cause.what {
        _ if rank <= Rank::Company => true,
        What::Company { .. } => true,
        // Between orders, a value that no operand explains was read from memory.
        What::Value { .. } => kind == Kind::WidthDependentResult,
        What::Order => kind == Kind::OrderDependentResult,
        What::Decision { .. } | What::Store { .. } | What::Late { .. } => false,
    };
    if !ends_well {
        return None;
    }
    let sides = [describe(a, b), describe(b, a)];
    let site_of = |link: &Link| Site {
        span: link.span,
        inst: Some(link.inst),
        text: tell(module, link, &sides),
    };
    let numbered = match rank {
        Rank::Numbering => way.iter().find_map(|it| numbered(facts, it)),
        _ => None,
    };
    let site = match numbered {
        Some(inst) => Site {
            span: module.inst(inst).span,
            inst: Some(inst),
            text: "this assumes that threads are in lanes in the order of their indices".to_owned(),
        },
        None => site_of(cause),
    };
    let mut related: Vec<Site> = Vec::new();
    // From the cause to the result; a line that has been named is not named again.
    let rest = if numbered.is_some() { &chain[..] } else { way };
    for link in rest.iter().rev() {
        let overlaps =
            |a: Span, b: Span| a.lo <= b.lo && b.hi <= a.hi || b.lo <= a.lo && a.hi <= b.hi;
        let is_known = related.iter().any(|it| overlaps(it.span, link.span));
        if !overlaps(link.span, site.span) && !is_known {
            related.push(site_of(link));
        }
    }
    if related.len() > MOST_LINKS {
        // Both ends are the most informative.
        related.drain(MOST_LINKS / 2..related.len() - MOST_LINKS / 2);
    }
    let slots = ir::deal(module.group_size, b.launch.lane_order);
    let slot = slots.iter().position(|it| it[3] == cause.thread).unwrap_or(0) as u32;
    let place = in_words(facts, difference);
    let name = &module.resource(difference.binding).name;
    let finding = Finding {
        kind,
        message: format!("`{name}` depends on {what}"),
        site,
        related,
        notes: vec![format!(
            "{place} is the first that differs: {} against {}",
            sides[0], sides[1]
        )],
        helps: vec![
            compare::of_rays(kind).unwrap_or_else(|| help(module, (kind, rank), cause)).to_owned(),
        ],
        stacks: Vec::new(),
        group,
        wave: slot / b.launch.wave_width,
        lanes: LaneMask::EMPTY,
        width: b.launch.wave_width,
    };
    Some(finding.with_stacks(module))
}

/// Where the place of a store is computed as if threads were in lanes in order: from a quotient or a remainder by the
/// number of lanes.
fn numbered(facts: &Facts<'_>, link: &Link) -> Option<Inst> {
    if !matches!(link.what, What::Store { .. }) {
        return None;
    }
    let module = facts.module;
    let (address, _) = module.inst(link.inst).op.address_and_values();
    slice::computed(facts, &address).into_iter().find(|inst| {
        let Op::Binary(op, _, by) = module.inst(*inst).op else { return false };
        let divides = matches!(op, Binary::Div(_) | Binary::Rem(_) | Binary::Shr(_) | Binary::And);
        let counts =
            |inst: &Inst| matches!(module.inst(*inst).op, Op::Wave { op: WaveOp::LaneCount, .. });
        divides && slice::computed(facts, &[by]).iter().any(counts)
    })
}

/// The number of links of a chain that are reported.
const MOST_LINKS: usize = 6;

/// The difference at a link, in words.
fn tell(module: &Module, link: &Link, [right, wrong]: &[String; 2]) -> String {
    let thread = link.thread;
    let bits = |value: Value, bits: u64| of_type(module.ty(value), bits);
    match &link.what {
        What::Value { value, right: a, wrong: b, operands } => {
            let symbol = match module.inst(link.inst).op {
                Op::Compare(op, ..) => Some(symbol(op)),
                _ => None,
            };
            match (symbol, operands.as_slice()) {
                (Some(symbol), [x, y]) => {
                    let side = |x: (Value, u64), y: (Value, u64), holds: u64| {
                        let (x, y) = (bits(x.0, x.1), bits(y.0, y.1));
                        format!("`{x} {symbol} {y}` is {}", holds != 0)
                    };
                    format!(
                        "thread {thread} of its group: {} ({right}), {} ({wrong})",
                        side((x.0, x.1), (y.0, y.1), *a),
                        side((x.0, x.2), (y.0, y.2), *b)
                    )
                }
                _ => format!(
                    "thread {thread} of its group gets {} ({right}), or {} ({wrong})",
                    bits(*value, *a),
                    bits(*value, *b)
                ),
            }
        }
        What::Decision { value, right: a, wrong: b } if module.ty(*value) == Ty::Bool => {
            let way = |it: u64| if it != 0 { "true" } else { "false" };
            format!("so the condition is {} ({right}), or {} ({wrong})", way(*a), way(*b))
        }
        What::Decision { value, right: a, wrong: b } => format!(
            "so thread {thread} continues with {} ({right}), or {} ({wrong})",
            bits(*value, *a),
            bits(*value, *b)
        ),
        What::Store { in_right: true, in_wrong: true } => {
            format!("thread {thread} stores it here")
        }
        What::Store { in_right: true, .. } => {
            format!("only with {right} does thread {thread} store this")
        }
        What::Store { .. } => format!("only with {wrong} does thread {thread} store this"),
        What::Company { value, right: a, wrong: b, threads } => {
            let company = |it: &[u32]| format!("of {}", threads_named(it));
            format!(
                "thread {thread} of its group gets {} {} ({right}), or {} {} ({wrong})",
                bits(*value, *a),
                company(&threads.0),
                bits(*value, *b),
                company(&threads.1)
            )
        }
        What::Late { in_right } => {
            let (first, last) = if *in_right { (right, wrong) } else { (wrong, right) };
            format!(
                "thread {thread} of its group has stored this with {first}, and not yet with {last}"
            )
        }
        What::Order => format!(
            "which thread comes first decides what is in memory here: thread {thread} comes last with {right}"
        ),
    }
}

/// Threads in words, by the ranges of their indices.
fn threads_named(threads: &[u32]) -> String {
    let mut sorted = threads.to_vec();
    sorted.sort_unstable();
    match (sorted.first(), sorted.last()) {
        (Some(first), Some(last)) if first == last => format!("thread {first}"),
        (Some(first), Some(last)) if (last - first) as usize + 1 == sorted.len() => {
            format!("threads {first} to {last}")
        }
        _ => format!("{} threads", sorted.len()),
    }
}

/// The remedy for a cause.
fn help(module: &Module, (kind, rank): (Kind, Rank), cause: &Link) -> &'static str {
    match (&cause.what, &module.inst(cause.inst).op) {
        (_, op)
            if rank == Rank::First
                && op.effects().is_atomic()
                && !facts::only_reads(module, cause.inst) =>
        {
            "which of them comes first is not specified: use the result only to choose the place that a thread uses"
        }
        _ if rank == Rank::First => {
            "wait until the value is there, or compute something that does not depend on which comes first"
        }
        _ if rank == Rank::Numbering => {
            "take a lane's number from `WaveGetLaneIndex()`, and a wave's from a counter in groupshared memory that the first lane of each wave increments"
        }
        (What::Order, _) => {
            "order the accesses by a barrier, or compute something that does not depend on which thread comes first"
        }
        (What::Company { .. }, _) => {
            "combine the results of all waves of the group, or name the buffer in `--width-dependent` if it is meant to differ"
        }
        (_, Op::Compare(..)) => {
            "let the condition hold for every number of lanes: it decides differently at one width only"
        }
        (_, Op::Wave { op, .. }) if op.facts().sees == Sees::Nothing => {
            "store nothing that is computed from the number or index of lanes, or name the buffer in `--width-dependent` if it is meant to differ"
        }
        _ if kind == Kind::OrderDependentResult => {
            "compute something that does not depend on the order, or order the accesses by a barrier"
        }
        _ => "compute this so that it does not depend on how threads are divided into waves",
    }
}

fn symbol(op: Compare) -> &'static str {
    match op {
        Compare::Eq => "==",
        Compare::Ne => "!=",
        Compare::Lt(_) => "<",
        Compare::Le(_) => "<=",
        Compare::Gt(_) => ">",
        Compare::Ge(_) => ">=",
    }
}
