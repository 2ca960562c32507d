//! Finds the first value that two sides compute differently: both run an instrumented program that records its values.
//!
//! The reference engine's run has a clock, so that of all threads that differ the first one is known; and because it
//! runs causes before effects, the first difference is not a consequence of another one. A long
//! program is watched in parts: the first difference of all is the first one of its part, so a last run that watches
//! the first ones of all parts shows it. Long loops are watched in stretches, and the first stretch that has a
//! difference counts.
//!
//! Instrumentation changes the program, and a compiler may then compile it correctly (a heisenbug). Each run therefore
//! checks whether the results still differ; if they never do, that is the answer.

use std::time::{Duration, Instant};

use wavelane::internal::{FloatRoom, Trace, TraceEvent, TracePoint};
use wavelane::{ResourceTable, Scalar, Shader, Span};

use super::run::{Runner, WATCHED};
use crate::compare::{self, Shown};
use crate::side::{Runs, Side};

/// What was found.
pub(super) enum Located {
    First(Box<First>),
    /// The results agree where values are watched.
    Vanished,
    /// All values agree, and the results do not.
    Memory,
    Not(String),
}

/// The first value that differs.
pub(super) struct First {
    pub(super) span: Span,
    /// As the text of the IR spells it.
    pub(super) operation: String,
    /// The values on the two sides; `None` for a side whose control flow is different.
    pub(super) values: Option<(Shown, Shown)>,
    pub(super) lane: u32,
    pub(super) wave: u32,
    pub(super) group: [u32; 3],
    /// How many other lanes of the wave differ in the same operation.
    pub(super) more: usize,
    /// It read what other threads had written, in an order that the device chooses.
    pub(super) is_open: bool,
    /// It is a sum or product of floats over lanes that differs by its rounding alone, or a filtered texture.
    pub(super) is_rounding: bool,
}

/// The most values to trace in one run.
const PART: usize = 64;
/// The time limit of the search, after which the first difference found so far is reported.
const PATIENCE: Duration = Duration::from_secs(20);
/// The most stretches of a part to trace.
const STRETCHES: u32 = 32;

/// A thread's first difference.
struct Found {
    thread: usize,
    /// Which of the thread's events.
    event: u32,
    stamp: u32,
    point: usize,
    values: Option<(u64, u64)>,
}

/// A run of a program that two sides disagree about.
pub(super) struct Disputed<'a> {
    pub(super) side: &'a Side,
    pub(super) shader: &'a Shader,
    pub(super) table: &'a ResourceTable,
    pub(super) groups: [u32; 3],
    pub(super) width: u32,
    pub(super) rules: &'a compare::Rules,
}

/// The results of the parts of a program so far.
#[derive(Default)]
struct Seen {
    has_differed: bool,
    /// For each part that has one, its first difference.
    firsts: Vec<(Found, usize)>,
}

/// Looks for the first difference.
pub(super) fn locate(runner: &Runner<'_>, disputed: &Disputed<'_>) -> Located {
    if let Runs::Module(..) = disputed.side.runs {
        return Located::Not("values inside another compiler's module cannot be traced".to_owned());
    }
    let begin = Instant::now();
    let points = disputed.shader.trace_points();
    let all: Vec<usize> = (0..points.len()).collect();
    let mut seen = Seen::default();
    let mut why = None;
    for part in all.chunks(PART) {
        // A difference found so far is still useful.
        if runner.is_late() || begin.elapsed() > PATIENCE {
            why = Some("the time limit was reached".to_owned());
            break;
        }
        if let Err(what) = look(runner, disputed, part, &points, &mut seen) {
            why = Some(what);
            break;
        }
    }
    if seen.firsts.len() > 1 {
        let mut best: Vec<usize> = seen.firsts.iter().map(|(it, _)| it.point).collect();
        best.sort_unstable();
        best.dedup();
        let mut last = Seen::default();
        if look(runner, disputed, &best, &points, &mut last).is_ok() && !last.firsts.is_empty() {
            seen.firsts = last.firsts;
        }
    }
    // Divergent control flow is caused by a value: one that differs says more.
    let has_values = |it: &&(Found, usize)| it.0.values.is_some();
    let position = seen.firsts.iter().position(|it| has_values(&it)).unwrap_or(0);
    match (seen.firsts.is_empty(), why, seen.has_differed) {
        (false, ..) => {
            let found = seen.firsts.swap_remove(position);
            Located::First(Box::new(described(runner, disputed, &points, found)))
        }
        (true, Some(why), _) => Located::Not(why),
        (true, None, true) => Located::Memory,
        (true, None, false) => Located::Vanished,
    }
}

/// Watches some values, stretch by stretch, until one differs.
fn look(
    runner: &Runner<'_>,
    disputed: &Disputed<'_>,
    part: &[usize],
    points: &[TracePoint],
    seen: &mut Seen,
) -> Result<(), String> {
    let mut skip = 0;
    for _ in 0..STRETCHES {
        let watched = watch(runner, disputed, part, skip, points)?;
        seen.has_differed |= watched.differs;
        if let Some(found) = watched.first.filter(|_| watched.differs) {
            seen.firsts.push(found);
            return Ok(());
        }
        // If no thread has filled its buffer, there are no more events.
        if !watched.is_full || runner.is_late() {
            return Ok(());
        }
        skip += watched.room;
    }
    Ok(())
}

/// The result of one watched run on both sides.
struct Watched {
    differs: bool,
    first: Option<(Found, usize)>,
    is_full: bool,
    room: u32,
}

fn watch(
    runner: &Runner<'_>,
    disputed: &Disputed<'_>,
    part: &[usize],
    skip: u32,
    points: &[TracePoint],
) -> Result<Watched, String> {
    let Disputed { side, shader, table, groups, width, rules: _ } = disputed;
    let run = |side: &Side, clock: bool| {
        let trace = Trace::new(shader, *groups, part.to_vec(), skip, clock)
            .ok_or("the dispatch has too many threads to watch")?;
        let traced = trace.shader(shader).map_err(|bug| bug.to_string())?;
        let start = trace.table(shader, &traced, table).map_err(|error| error.to_string())?;
        let cannot = |what: String| format!("it does not run where values are watched: {what}");
        let pipeline =
            side.pipeline(&traced, &runner.args.common.device.adapter).map_err(|it| match it {
                crate::side::NotRun::Unsupported(what) | crate::side::NotRun::BadInput(what) => {
                    cannot(what)
                }
            })?;
        let left = runner.run(&pipeline, &start, *groups, *width, WATCHED);
        let left = left.map_err(|ended| cannot(format!("{ended:?}")))?;
        let events = trace.read(shader, &left).map_err(|error| error.to_string())?;
        Ok::<_, String>((events, left, trace.room()))
    };
    let (wanted, left, room) = run(&Side::reference(), true)?;
    let (got, other, _) = run(side, false)?;
    // The trace itself holds stamps, which differ.
    let mut rules = disputed.rules.clone();
    rules.without.push(wavelane::internal::TRACE_NAME.to_owned());
    let differs = compare::compare(&left, &other, &rules).is_some();
    let all: Vec<Found> = wanted
        .iter()
        .zip(&got)
        .enumerate()
        .filter_map(|(thread, (wanted, got))| first_of(thread, wanted, got, points))
        .collect();
    let is_full = wanted.iter().any(|it| it.len() == room as usize);
    // Control flow diverges because of a value, which is in this part or in another one.
    let order = |it: &&Found| (it.values.is_none(), it.stamp);
    let earliest = all.iter().min_by_key(order).map(|it| (it.thread, it.point, it.event));
    let Some((thread, point, event)) = earliest else {
        return Ok(Watched { differs, first: None, is_full, room });
    };
    let wave_of = |thread: usize| {
        let size = threads(shader);
        let lane =
            shader.lane_of((thread % size) as u32, *width, runner.args.common.launch.lane_order);
        (thread / size, lane.map(|(_, wave)| wave))
    };
    let more = all
        .iter()
        .filter(|it| it.point == point && it.event == event && it.thread != thread)
        .filter(|it| wave_of(it.thread) == wave_of(thread))
        .count();
    let first = all.into_iter().find(|it| it.thread == thread).map(|it| (it, more));
    Ok(Watched { differs, first, is_full, room })
}

fn threads(shader: &Shader) -> usize {
    shader.group_size().iter().map(|it| *it as usize).product::<usize>().max(1)
}

/// The first difference between two lists of values.
fn first_of(
    thread: usize,
    wanted: &[TraceEvent],
    got: &[TraceEvent],
    points: &[TracePoint],
) -> Option<Found> {
    let is_same = |a: &TraceEvent, b: &TraceEvent| {
        let scalar = points.get(a.point).map_or(Scalar::U32, |it| it.scalar);
        // A NaN may be canonicalised as late as where its bits are observed.
        let nan = |bits: u64| match scalar {
            Scalar::F16 => bits & 0x7fff > 0x7c00,
            Scalar::F32 => bits & 0x7fff_ffff > 0x7f80_0000,
            Scalar::F64 => bits & (u64::MAX >> 1) > 0x7ff0_0000_0000_0000,
            _ => false,
        };
        a.point == b.point && (a.bits == b.bits || nan(a.bits) && nan(b.bits))
    };
    let at = wanted.iter().zip(got).position(|(a, b)| !is_same(a, b));
    let at = at.or((wanted.len() != got.len()).then(|| wanted.len().min(got.len())))?;
    let (a, b) = (wanted.get(at), got.get(at));
    let values = a.zip(b).filter(|(a, b)| a.point == b.point).map(|(a, b)| (a.bits, b.bits));
    // If one list ends, the next entry of the other is the difference.
    let event = a.or(b)?;
    let stamp = a.map_or_else(|| wanted.last().map_or(0, |it| it.stamp), |it| it.stamp);
    Some(Found { thread, event: at as u32, stamp, point: event.point, values })
}

fn described(
    runner: &Runner<'_>,
    disputed: &Disputed<'_>,
    points: &[TracePoint],
    (found, more): (Found, usize),
) -> First {
    let size = threads(disputed.shader);
    let (group, thread) = (found.thread / size, (found.thread % size) as u32);
    let order = runner.args.common.launch.lane_order;
    let lane = disputed.shader.lane_of(thread, disputed.width, order);
    let (lane, wave) = lane.unwrap_or((0, 0));
    let [x, y, _] = disputed.groups.map(|it| it.max(1) as usize);
    let group = [group % x, group / x % y, group / x / y].map(|it| it as u32);
    let point = &points[found.point];
    let shown = |bits| Shown::of(bits, point.scalar);
    let near = |(a, b)| compare::within(FloatRoom::default(), point.scalar, a, b);
    let is_rounding = point.is_filtered || point.folds_floats() && found.values.is_some_and(near);
    First {
        span: point.span,
        operation: point.operation.clone(),
        values: found.values.map(|(a, b)| (shown(a), shown(b))),
        lane,
        wave,
        group,
        more,
        is_open: point.is_open,
        is_rounding,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_differ_where_a_value_differs_or_one_ends() {
        let point = |scalar| TracePoint {
            span: Span::NONE,
            operation: "add".to_owned(),
            scalar,
            is_open: false,
            is_filtered: false,
        };
        let points = [point(Scalar::U32), point(Scalar::F32)];
        let event = |point, stamp, bits| TraceEvent { point, stamp, bits };
        let found = |wanted: &[TraceEvent], got: &[TraceEvent]| {
            first_of(0, wanted, got, &points).map(|it| (it.event, it.point, it.values))
        };
        let wanted = [event(0, 3, 1), event(1, 9, 0x7fc0_0000), event(0, 12, 4)];
        let nan = [event(0, 0, 1), event(1, 0, 0xffc0_0001), event(0, 0, 4)];
        assert_eq!(found(&wanted, &nan), None);
        let other = [event(0, 0, 1), event(1, 0, 0), event(0, 0, 4)];
        assert_eq!(found(&wanted, &other), Some((1, 1, Some((0x7fc0_0000, 0)))));
        assert_eq!(found(&wanted, &nan[..2]), Some((2, 0, None)));
        assert_eq!(found(&wanted[..2], &nan), Some((2, 0, None)));
        let elsewhere = [event(0, 0, 1), event(0, 0, 4)];
        assert_eq!(found(&wanted, &elsewhere), Some((1, 1, None)));
    }
}
