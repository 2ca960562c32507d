//! The comparison of widths, place by place.
//!
//! A place is what one instruction has written in one buffer, and each is compared by itself, so that a difference
//! which is known or allowed hides no other. It is compared among the widths at which nothing undefined reaches it: the
//! others agree with no other width, and never count as the reference.

use diag::Span;
use ir::exec::{Buffer, Failure};
use ir::{Binding, Inst};

use super::results::{Base, named};
use super::threads::on_threads;
use super::width::Run;
use super::{Report, elements, listed};
use crate::compare::{self, Difference, Side};
use crate::finding::{Finding, Kind};
use crate::floats;
use crate::hash::HashMap;
use crate::writers::Writers;

/// The number of differences that are explained; of the rest, the report names the stores.
const MOST_EXPLAINED: usize = 16;
/// The number of places of one buffer that are distinguished.
const MOST_PLACES: usize = 32;
/// Writers are looked for in this many bytes.
pub(super) const MOST_BYTES: usize = 64 << 20;

/// What is compared by itself.
struct Compared {
    key: (Binding, u32),
    /// The numbers of the runs that are compared.
    among: Vec<usize>,
    what: What,
    /// The last writer, if it is known.
    writer: Option<Inst>,
}

enum What {
    /// These bytes.
    Bytes(Vec<usize>),
    Counter,
    /// All elements, in any order.
    Elements,
}

/// Widths with the same results, by the numbers of their runs.
type Class = Vec<usize>;

/// A difference to be explained: the nearest runs of the reference and of another class.
struct Question {
    a: usize,
    b: usize,
    difference: Difference,
    is_of_elements: bool,
    writer: Option<Inst>,
    reference: Class,
    /// The widths of the other class.
    widths: Vec<u32>,
    /// Which widths agree, if more than one is right.
    note: Option<String>,
}

/// Compares the results at all widths. The reference is the largest set of widths that agree; each other set is
/// compared with it where the two are nearest.
pub(super) fn compare_widths(
    base: &Base<'_>,
    runs: &[Run],
    report: &mut Report,
) -> Result<(), (u32, Failure)> {
    let places = places(base, runs)?;
    let questions: Vec<Question> =
        places.iter().flat_map(|place| questions(base, runs, place)).collect();
    let explained = |at: usize| {
        let question = &questions[at];
        let finding = explain(base, runs, question, base.plan.explains && at < MOST_EXPLAINED);
        finding.map_err(|failure| (runs[question.b].launch.wave_width, failure))
    };
    let explained = on_threads(base.plan.threads, questions.len(), explained, Result::is_ok);
    for (question, finding) in questions.iter().zip(explained) {
        let finding = finding?;
        for width in &question.widths {
            let mut finding = finding.clone();
            finding.notes.extend(question.note.clone());
            finding.width = *width;
            report.add(finding, None);
        }
    }
    Ok(())
}

/// The differences of one place.
fn questions(base: &Base<'_>, runs: &[Run], place: &Compared) -> Vec<Question> {
    let mut classes: Vec<Class> = Vec::new();
    for index in &place.among {
        let agrees = |class: &&mut Class| {
            class.iter().all(|it| place.difference(base, [&runs[*it], &runs[*index]]).is_none())
        };
        match classes.iter_mut().find(agrees) {
            Some(class) => class.push(*index),
            None => classes.push(vec![*index]),
        }
    }
    // Of sets of the same size, the one with the smallest width.
    ops::sort_by_key(&mut classes, |it| (std::cmp::Reverse(it.len()), it[0]));
    let [reference, others @ ..] = classes.as_slice() else { return Vec::new() };
    let width = |index: &usize| runs[*index].launch.wave_width;
    let widths = |class: &Class| class.iter().map(width).collect::<Vec<u32>>();
    let mut note = None;
    if reference.len() > 1 && !others.is_empty() {
        let mut text = format!("waves of {} lanes give one result", listed(&widths(reference)));
        for other in others {
            text.push_str(&format!(", of {} another", listed(&widths(other))));
        }
        note = Some(text);
    }
    let question = |other: &Class| {
        let steps = |a: usize, b: usize| {
            let bits = |it| i64::from(width(&it).trailing_zeros());
            (bits(a) - bits(b)).abs()
        };
        let pairs = other.iter().flat_map(|b| reference.iter().map(move |a| (*a, *b)));
        let (a, b) = pairs.min_by_key(|(a, b)| (steps(*a, *b), *b))?;
        let (binding, element) = place.key;
        let byte = place.difference(base, [&runs[a], &runs[b]])?;
        Some(Question {
            a,
            b,
            difference: Difference { binding, element, byte },
            is_of_elements: matches!(place.what, What::Elements) && byte != u64::MAX,
            writer: place.writer,
            reference: reference.clone(),
            widths: widths(other),
            note: note.clone(),
        })
    };
    others.iter().filter_map(question).collect()
}

fn explain(
    base: &Base<'_>,
    runs: &[Run],
    question: &Question,
    is_explained: bool,
) -> Result<Finding, Failure> {
    let Question { difference, .. } = *question;
    let (a, b) = (&runs[question.a], &runs[question.b]);
    let (kind, what) = (Kind::WidthDependentResult, "the wave width");
    let (here, there) = (base.side(&a.launch), base.side(&b.launch));
    if question.is_of_elements {
        let key = (difference.binding, difference.element);
        let writers = base.writers(b, vec![(key, buffer(b, key).bytes.len())])?;
        let writer = writers.last(key, difference.byte);
        return Ok(compare::odd_element(kind, &here, &there, difference, writer));
    }
    if !is_explained {
        return Ok(compare::unexplained(kind, &here, &there, difference, what, question.writer));
    }
    let right: Vec<Side<'_>> =
        question.reference.iter().map(|it| base.side(&runs[*it].launch)).collect();
    compare::explain(kind, &here, &there, difference, what, &right)
}

fn buffer(run: &Run, key: (Binding, u32)) -> &Buffer {
    &run.left.bindings[key.0.index()][key.1 as usize]
}

/// All places that differ between some widths, in the order of buffers and bytes.
fn places(base: &Base<'_>, runs: &[Run]) -> Result<Vec<Compared>, (u32, Failure)> {
    let Some(first) = runs.first() else { return Ok(Vec::new()) };
    let mut found: Vec<Compared> = Vec::new();
    for (binding, buffers) in (0..).map(Binding).zip(&first.left.bindings) {
        let is_compared =
            base.is_open(binding) && !named(base.module, &base.plan.width_dependent, binding);
        for element in (0..buffers.len() as u32).filter(|_| is_compared) {
            found.extend(in_buffer(base, runs, (binding, element), &[]));
        }
    }
    let differs = |place: &Compared| {
        let among = &place.among;
        let pairs = among.iter().flat_map(|a| among.iter().map(move |b| (*a, *b)));
        let mut pairs = pairs.filter(|(a, b)| a < b);
        pairs.any(|(a, b)| place.difference(base, [&runs[a], &runs[b]]).is_some())
    };
    found.retain(differs);
    let mut keys: Vec<(Binding, u32)> = found.iter().map(|it| it.key).collect();
    keys.dedup();
    let sized: Vec<_> = keys.iter().map(|it| (*it, buffer(first, *it).bytes.len())).collect();
    if sized.is_empty() || sized.iter().map(|it| it.1).sum::<usize>() > MOST_BYTES {
        return Ok(found);
    }
    // The narrowest and the widest waves show all writers that there are, or nearly.
    let ends: Vec<&Run> = match runs {
        [first, .., last] => vec![first, last],
        all => all.iter().collect(),
    };
    let one = |at: usize| {
        let writers = base.writers(ends[at], sized.clone());
        writers.map_err(|failure| (ends[at].launch.wave_width, failure))
    };
    let writers = on_threads(base.plan.threads, ends.len(), one, Result::is_ok);
    let writers = writers.into_iter().collect::<Result<Vec<Writers>, _>>()?;
    let mut all: Vec<Compared> =
        keys.iter().flat_map(|key| in_buffer(base, runs, *key, &writers)).collect();
    all.retain(differs);
    Ok(all)
}

/// The places of one buffer whose bytes differ.
fn in_buffer(
    base: &Base<'_>,
    runs: &[Run],
    key: (Binding, u32),
    writers: &[Writers],
) -> Vec<Compared> {
    let all: Vec<usize> = (0..runs.len()).collect();
    let is_unordered = named(base.module, &base.plan.unordered, key.0)
        || runs.iter().any(|it| it.permuted.contains(&key));
    let writer = |byte: u64| writers.iter().rev().find_map(|it| it.last(key, byte));
    if is_unordered && elements::size(base.module, key.0).is_some() {
        let among = all.into_iter().filter(|it| !runs[*it].reach.touches(key)).collect();
        return vec![Compared { key, among, what: What::Elements, writer: None }];
    }
    let mut places: Vec<Compared> = Vec::new();
    let counted = |it: &usize| !runs[*it].reach.counter_is_tagged(key);
    let among: Vec<usize> = all.iter().copied().filter(counted).collect();
    let writer_of_counter = writer(u64::MAX);
    places.push(Compared { key, among, what: What::Counter, writer: writer_of_counter });
    let held: Vec<&[u8]> = runs.iter().map(|it| &buffer(it, key).bytes[..]).collect();
    if held.windows(2).all(|it| it[0] == it[1]) {
        return places;
    }
    let tags: Vec<_> = runs.iter().map(|it| it.reach.tagged(key)).collect();
    let mut numbers: HashMap<(Vec<usize>, Vec<Option<Inst>>), usize> = HashMap::default();
    for byte in 0..held.iter().map(|it| it.len()).min().unwrap_or(0) {
        if held.windows(2).all(|it| it[0][byte] == it[1][byte]) {
            continue;
        }
        let among: Vec<usize> = all.iter().copied().filter(|it| !tags[*it].has(byte)).collect();
        let mut written: Vec<Option<Inst>> =
            writers.iter().map(|it| it.last(key, byte as u64)).collect();
        if numbers.len() >= MOST_PLACES {
            written.clear();
        }
        let number = *numbers.entry((among.clone(), written)).or_insert_with(|| {
            let what = What::Bytes(Vec::new());
            places.push(Compared { key, among, what, writer: writer(byte as u64) });
            places.len() - 1
        });
        if let What::Bytes(bytes) = &mut places[number].what {
            bytes.push(byte);
        }
    }
    places
}

impl Compared {
    /// The first byte that differs between two runs.
    fn difference(&self, base: &Base<'_>, runs: [&Run; 2]) -> Option<u64> {
        let [a, b] = runs.map(|it| buffer(it, self.key));
        let counters = || (a.what.counter() != b.what.counter()).then_some(u64::MAX);
        let (module, binding, room) = (base.module, self.key.0, base.plan.float_room);
        match &self.what {
            What::Counter => counters(),
            What::Elements => elements::odd((module, binding), a, b, room).or_else(counters),
            What::Bytes(bytes) => only(bytes, a, b)
                .and_then(|it| floats::first_difference(module, binding, a, &it, room)),
        }
    }
}

/// The first buffer with some bytes of the second one; `None` if these are equal.
pub(super) fn only(bytes: &[usize], a: &Buffer, b: &Buffer) -> Option<Buffer> {
    if bytes.iter().all(|it| a.bytes[*it] == b.bytes[*it]) {
        return None;
    }
    let mut mixed = a.clone();
    bytes.iter().for_each(|it| mixed.bytes[*it] = b.bytes[*it]);
    Some(mixed)
}

/// The place of an instruction in the source.
pub(super) fn span_of(base: &Base<'_>, writer: Option<Inst>) -> Option<Span> {
    writer.map(|it| base.module.inst(it).span)
}
