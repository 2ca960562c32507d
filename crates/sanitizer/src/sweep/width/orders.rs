//! Differences between orders at one width: first all runs are made, then each difference is explained.
//!
//! The reference is the largest set of orders that agree on a buffer: that of the launch, unless there is a larger one.
//! An explanation is given another order of the reference, if there is one, so that it knows which differences are
//! harmless.

use std::collections::VecDeque;
use std::hash::Hasher;

use ir::exec::{Bindings, Failure};
use ir::{Binding, Inst};

use super::{Again, AtWidth, Compared, Different, Run, Trial};
use crate::compare::{self, Difference, Side, Turns};
use crate::finding::{Finding, Kind};
use crate::floats;
use crate::hash::Hashed;
use crate::order::Order;
use crate::spread::Cause;
use crate::sweep::between::{MOST_BYTES, only, span_of};
use crate::sweep::listed;
use crate::sweep::results::{Base, is_permuted, named};

/// The number of differences between orders that are explained at one width; of the rest, the report names the stores.
const MOST_EXPLAINED: usize = 8;

/// A buffer: the resource, and the element of an array of resources.
type Key = (Binding, u32);

/// A trial that has been made.
struct Done {
    trial: Trial,
    /// `None` if it did not end.
    ended: Option<Ended>,
}

struct Ended {
    undefined: Option<Cause>,
    turns: Turns,
    /// The buffers that differ from those that the order of the launch leaves.
    buffers: Vec<Differing>,
}

struct Differing {
    first: Difference,
    /// Whether only the order of the elements differs.
    permuted: bool,
    places: Vec<(Option<Inst>, Extent, Difference)>,
    /// A hash of the contents.
    digest: u64,
}

/// The parts of a buffer that depend on the order, and are no longer compared between widths.
struct Unsettled {
    key: (Binding, u32),
    what: Extent,
    cause: Cause,
}

#[derive(Clone)]
enum Extent {
    Whole,
    Counter,
    Bytes(Vec<usize>),
}

/// What has been explained: the dependence, the buffer, the last writer of what differs, and the cause.
type Settled = ((&'static str, Key, Option<Inst>), Cause);

impl AtWidth<'_, '_> {
    /// Runs in the other orders. Places that differ in one of them are no longer compared between widths.
    pub(super) fn other_orders(
        &mut self,
        run: &mut Run,
        trials: Vec<Trial>,
    ) -> Result<(), Failure> {
        let plan = self.base.plan;
        let done = self.all_done(run, trials)?;
        // Dependences for which a run that did not end is the explanation.
        let mut endless: Vec<&str> = Vec::new();
        let mut settled: Vec<Settled> = Vec::new();
        let mut dependences: Vec<&str> = Vec::new();
        let mut canonical: Option<Turns> = None;
        let mut unsettled: Vec<Unsettled> = Vec::new();
        for Done { trial, ended } in &done {
            let subject = trial.order.subject();
            let is_settled =
                endless.contains(&subject) || settled.iter().any(|it| it.0.0 == subject);
            let Some(ended) = ended else {
                // Waiting for a group that has not started says nothing about runs in which all have.
                if !trial.order.is_of_groups() {
                    endless.push(subject);
                }
                continue;
            };
            for buffer in &ended.buffers {
                let key = (buffer.first.binding, buffer.first.element);
                let kind = trial.order.finding(buffer.permuted);
                for (writer, what, difference) in &buffer.places {
                    let place = (subject, key, *writer);
                    let span = self.base.module.resource(key.0).span;
                    let span = span_of(self.base, *writer).unwrap_or(span);
                    let known = settled.iter().find(|it| it.0 == place).map(|it| it.1);
                    let mut cause = known.unwrap_or(Cause { kind, span });
                    // Each place where a program reads the number of waves is a separate mistake.
                    let is_told = known.is_some() && trial.order != Order::SparseWaves;
                    // A permutation of elements is implied by a dependence on the same order.
                    let is_told = is_told || buffer.permuted && dependences.contains(&subject);
                    if !is_told && !endless.contains(&subject) {
                        let is_explained = plan.explains && settled.len() < MOST_EXPLAINED;
                        let sides = sides(self.base, run, &done, trial, key);
                        let found = (*difference, *writer);
                        let finding = explain(trial, sides, found, kind, is_explained)?;
                        cause = Cause { kind: finding.kind, span: finding.site.span };
                        self.report.add(finding, Some(trial.order));
                        settled.push((place, cause));
                    }
                    if cause.kind == Kind::PermutedResult {
                        run.permuted.push(key);
                        continue;
                    }
                    dependences.push(subject);
                    if trial.order != Order::SparseWaves {
                        // Widths are compared in groups without empty waves.
                        unsettled.push(Unsettled { key, what: what.clone(), cause });
                    }
                }
            }
            let may_decide = trial.folds() && !plan.watches_all && ended.undefined.is_none();
            if may_decide && ended.buffers.is_empty() && !is_settled {
                let first = match canonical.take() {
                    Some(first) => first,
                    None => self.canonical_turns(run, trial)?,
                };
                if self.explain_turn(run, trial, &first, &ended.turns) {
                    endless.push(subject);
                }
                canonical = Some(first);
            }
        }
        for Unsettled { key, what, cause } in unsettled {
            match what {
                Extent::Whole => run.reach.add_whole(key.0, key.1, cause),
                Extent::Counter => run.reach.add_counter(key, cause),
                Extent::Bytes(bytes) => run.reach.add_bytes(key, &bytes, cause),
            }
        }
        Ok(())
    }

    /// Makes all runs. Only what differs in them is kept.
    fn all_done(&mut self, run: &Run, trials: Vec<Trial>) -> Result<Vec<Done>, Failure> {
        let begun = self.ahead(run, &trials);
        let mut queue: VecDeque<(Trial, Option<Compared>)> =
            trials.into_iter().zip(begun).collect();
        let mut done: Vec<Done> = Vec::new();
        while let Some((trial, begun)) = queue.pop_front() {
            let ended = match self.again(run, &trial, begun)? {
                Some(again) => Some(self.differing(run, again)?),
                None => {
                    if let Some(order) = trial.fallback {
                        let progress = self.base.plan.progress;
                        queue.push_front((Trial::new(order, run, progress), None));
                    }
                    None
                }
            };
            done.push(Done { trial, ended });
        }
        Ok(done)
    }

    fn differing(&mut self, run: &Run, again: Again) -> Result<Ended, Failure> {
        let Again { left, undefined, different, turns } = again;
        let mut buffers = Vec::new();
        for first in &different.first {
            let permuted = is_permuted(self.base.module, &run.left, &left, *first);
            let places = match permuted {
                true => vec![(None, Extent::Whole, *first)],
                false => self.places(run, &left, &different, *first)?,
            };
            let buffer = &left.bindings[first.binding.index()][first.element as usize];
            let mut hasher = Hashed::default();
            hasher.write(&buffer.bytes);
            hasher.write_u64(buffer.what.counter().unwrap_or_default().into());
            let digest = hasher.finish();
            buffers.push(Differing { first: *first, permuted, places, digest });
        }
        Ok(Ended { undefined, turns, buffers })
    }

    /// The places of a buffer that differ in another order, by their last writers in the order of the launch: what each
    /// of them wrote there, and the first difference.
    fn places(
        &mut self,
        run: &Run,
        left: &Bindings,
        different: &Different,
        first: Difference,
    ) -> Result<Vec<(Option<Inst>, Extent, Difference)>, Failure> {
        let (base, key) = (self.base, (first.binding, first.element));
        if first.byte == u64::MAX {
            return Ok(vec![(None, Extent::Counter, first)]);
        }
        if named(base.module, &base.plan.unordered, first.binding) {
            return Ok(vec![(None, Extent::Whole, first)]);
        }
        if self.writers.is_none() {
            let all = (0..).map(Binding).zip(&run.left.bindings);
            let open = all.filter(|it| base.is_open(it.0)).flat_map(|(binding, buffers)| {
                (0..).zip(buffers).map(move |(at, it)| ((binding, at), it.bytes.len()))
            });
            let open: Vec<_> = open.collect();
            let is_large = open.iter().map(|it| it.1).sum::<usize>() > MOST_BYTES;
            let writers = if is_large { Vec::new() } else { open };
            self.writers = Some(base.writers(run, writers)?);
        }
        let Some(writers) = &self.writers else { unreachable!("they were made above") };
        let of = |it: &Bindings| it.bindings[key.0.index()][key.1 as usize].clone();
        let (a, b) = (of(&run.left), of(left));
        let reaches = [Some(&run.reach), different.reach.as_ref()].map(|it| {
            let tagged = it.map(|it| it.tagged(key));
            move |byte| tagged.is_some_and(|it| it.has(byte))
        });
        let mut places: Vec<(Option<Inst>, Vec<usize>)> = Vec::new();
        for byte in 0..a.bytes.len().min(b.bytes.len()) {
            if a.bytes[byte] == b.bytes[byte] || reaches.iter().any(|it| it(byte)) {
                continue;
            }
            let writer = writers.last(key, byte as u64);
            match places.iter_mut().find(|it| it.0 == writer) {
                Some(place) => place.1.push(byte),
                None => places.push((writer, vec![byte])),
            }
        }
        let room = base.plan.float_room;
        let place = |(writer, bytes): (Option<Inst>, Vec<usize>)| {
            let mixed = only(&bytes, &a, &b)?;
            let byte = floats::first_difference(base.module, key.0, &a, &mixed, room)?;
            // In yet another order, it may be other bytes of the same place.
            let written = |it: &usize| writer.is_some() && writers.last(key, *it as u64) == writer;
            let mut all: Vec<usize> = (0..a.bytes.len()).filter(written).chain(bytes).collect();
            all.sort_unstable();
            all.dedup();
            Some((writer, Extent::Bytes(all), Difference { byte, ..first }))
        };
        Ok(places.into_iter().filter_map(place).collect())
    }

    /// Reports the first decision that another order of float sums has changed. Returns whether there is one.
    fn explain_turn(&mut self, run: &Run, trial: &Trial, first: &Turns, turns: &Turns) -> bool {
        let Some(decision) = first.first_difference(turns) else { return false };
        let (a, b) = (self.base.side(&run.launch), side(self.base, trial));
        let finding = compare::explain_turn(decision, &a, &b, trial.order.subject());
        self.report.add(finding, Some(trial.order));
        true
    }
}

/// The finding about a difference.
fn explain(
    trial: &Trial,
    sides: Sides<'_>,
    (difference, writer): (Difference, Option<Inst>),
    kind: Kind,
    is_explained: bool,
) -> Result<Finding, Failure> {
    let Sides { right: a, wrong: b, others, note } = sides;
    let subject = trial.order.subject();
    let mut finding = match is_explained {
        true => compare::explain(kind, &a, &b, difference, subject, &others)?,
        false => compare::unexplained(kind, &a, &b, difference, subject, writer),
    };
    if finding.kind == Kind::PermutedResult {
        let name = &a.module.resource(difference.binding).name;
        finding.helps.push(format!("if any order is acceptable, pass `--unordered {name}`"));
    } else {
        finding.notes.extend(note);
    }
    Ok(finding)
}

/// The explanation of a difference between orders.
struct Sides<'s> {
    right: Side<'s>,
    wrong: Side<'s>,
    /// Further runs that agree with the right one.
    others: Vec<Side<'s>>,
    /// Which orders agree, if more than one is right.
    note: Option<String>,
}

fn side<'s>(base: &'s Base<'_>, trial: &'s Trial) -> Side<'s> {
    Side { variation: trial.variation, ..base.side(&trial.launch) }
}

/// The order of the launch and a trial whose contents of a buffer differ, and which of the two is in the reference.
fn sides<'s>(
    base: &'s Base<'_>,
    run: &'s Run,
    done: &'s [Done],
    trial: &'s Trial,
    key: Key,
) -> Sides<'s> {
    let subject = trial.order.subject();
    let alike = done.iter().filter(|it| it.trial.order.subject() == subject);
    let digests = alike.filter_map(|it| {
        let ended = it.ended.as_ref()?;
        let mut buffers = ended.buffers.iter();
        let found = buffers.find(|it| (it.first.binding, it.first.element) == key);
        Some((&it.trial, found.map(|it| it.digest)))
    });
    let digests: Vec<(&Trial, Option<u64>)> = digests.collect();
    // Without a digest, a trial agrees with the order of the launch.
    let own = digests.iter().find(|it| std::ptr::eq(it.0, trial)).and_then(|it| it.1);
    let class = |digest: Option<u64>| -> Vec<&'s Trial> {
        digests.iter().filter(|it| it.1 == digest).map(|it| it.0).collect()
    };
    let (canonical, theirs) = (class(None), class(own));
    let names =
        |class: &[&Trial]| class.iter().map(|it| it.order.to_string()).collect::<Vec<String>>();
    let launched = Order::canonical(trial.order, &run.launch);
    let with_launched: Vec<String> = launched.into_iter().chain(names(&canonical)).collect();
    let (launched, tried) = (listed(&with_launched), listed(&names(&theirs)));
    let note =
        |these: &str, those: &str| format!("the same result with {these}, another with {those}");
    // Other assignments to lanes are similar, so their number proves little.
    let is_of_lanes = matches!(trial.order, Order::Lanes(_));
    if theirs.len() > canonical.len() + 1 && !is_of_lanes {
        let rest = theirs.iter().filter(|it| !std::ptr::eq(**it, trial));
        return Sides {
            right: side(base, trial),
            wrong: base.side(&run.launch),
            others: rest.map(|it| side(base, it)).collect(),
            note: Some(note(&tried, &launched)),
        };
    }
    Sides {
        right: base.side(&run.launch),
        wrong: side(base, trial),
        others: canonical.iter().map(|it| side(base, it)).collect(),
        note: (!canonical.is_empty()).then(|| note(&launched, &tried)),
    }
}
